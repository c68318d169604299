import { isJsonObject, type JsonObject, parseJsonObject } from "../protocol/json.ts";
import { jsonText } from "../protocol/json-text.ts";
import {
  type AttachmentKey,
  type Began,
  type Done,
  type Entry,
  type Failed,
  isSameAttachment,
  type Journal,
  journalFile,
  type Line,
} from "./journal.ts";

/** The format of the lines that this version writes. */
const presentFormat = 1;

/** Returns the text of lines, as one write appends it. Code 6 if a configuration cannot be written as JSON. */
export function linesText(lines: readonly Line[]): string {
  return lines.map((line) => `${jsonText(line)}\n`).join("");
}

/** Returns the line with which an entry begins. */
export function beganLine(began: Began): Line {
  return { line: "began", format: presentFormat, ...began };
}

/** Parses the journal of an attachment; `text` is undefined if there is no file. */
export function parseJournal(key: AttachmentKey, text = ""): Journal {
  return journalOf(journalFile(key), key, contentOf(text));
}

/** Returns a journal with lines that were appended to it. */
export function withLines(journal: Journal, lines: readonly Line[]): Journal {
  const entries = journal.entries.map((entry): Growing => ({ ...entry }));
  for (const line of lines) apply(line as unknown as JsonObject, entries);
  return { ...journal, entries };
}

/** Parses a journal of which only the file is known. Undefined if the file does not say whose it is. */
export function parseFoundJournal(file: string, text: string): Journal | undefined {
  const content = contentOf(text);
  const { owner } = content;
  return owner && journalFile(owner) === file ? journalOf(file, owner, content) : undefined;
}

/** What the lines of a journal say. */
interface Content {
  readonly isEmpty: boolean;
  /** Undefined if the first line does not say whose the journal is. */
  readonly owner: AttachmentKey | undefined;
  /** Undefined if a newer version has written it. */
  readonly entries: readonly Entry[] | undefined;
  readonly isTorn: boolean;
}

function contentOf(text: string): Content {
  const lines = text.split("\n");
  // The last line has no line break if its writer was killed, or the disk was full.
  const isTorn = lines.pop() !== "";
  const entries: Growing[] = [];
  let first: JsonObject | undefined;
  let areKnown = true;
  for (const line of lines) {
    const value = parseJsonObject(line);
    // It was cut off, and another one has been appended.
    if (value === undefined) continue;
    first ??= value;
    areKnown &&= apply(value, entries);
  }
  return { isEmpty: lines.length === 0, owner: keyIn(first), entries: areKnown ? entries : undefined, isTorn };
}

function keyIn({ network, containerId, runtimeIfName }: JsonObject = {}): AttachmentKey | undefined {
  const isNamed = typeof network === "string" && typeof containerId === "string" && typeof runtimeIfName === "string";
  return isNamed ? { network, containerId, runtimeIfName } : undefined;
}

function journalOf(file: string, key: AttachmentKey, content: Content): Journal {
  const problem = problemOf(key, content);
  const { entries = [], isTorn } = content;
  return { file, key, isTorn, entries: problem === undefined ? entries : [], problem };
}

/** Says why a journal cannot be read. */
function problemOf(key: AttachmentKey, { isEmpty, owner, entries }: Content): string | undefined {
  if (entries === undefined) return "a newer version has written it";
  if (isEmpty) return undefined;
  if (owner === undefined) return "its first line does not say whose it is";
  return isSameAttachment(owner, key) ? undefined : "it is of another attachment";
}

/** An entry that later lines still change. A copy for each line would take longer than parsing it. */
type Growing = { -readonly [K in keyof Entry]: Entry[K] };

/**
 * Changes the entries as a line says. One with a wrong value changes nothing. Returns false for a line that a newer version has
 * written.
 */
function apply(value: JsonObject, entries: Growing[]): boolean {
  const { line, format, id, ids, addresses, routed, left } = value;
  if (line === "began") {
    if (typeof format !== "number" || format > presentFormat) return false;
    if (isBegan(value)) begin(value as unknown as Growing, entries);
    return true;
  }
  if (line === "given up") {
    if (isTexts(ids)) for (const entry of entries) entry.isGivenUp ||= ids.includes(entry.id);
    return true;
  }
  const entry = entries.find((one) => one.id === id);
  switch (line) {
    case "done":
      if (entry && isTexts(addresses) && (routed === undefined || isTexts(routed)))
        entry.done = value as unknown as Done;
      return true;
    case "failed":
      if (entry && (left === undefined || typeof left === "number") && (addresses === undefined || isTexts(addresses)))
        entry.failed = value as unknown as Failed;
      return true;
    case "undone":
      if (entry) entry.isGivenUp = entry.isUndone = true;
      return true;
    default:
      return false;
  }
}

/** The last line that begins an entry counts: a stray ADD writes another one after it has passed. */
function begin(entry: Growing, entries: Growing[]): void {
  entry.isGivenUp = entry.isUndone = false;
  const position = entries.findIndex(({ id }) => id === entry.id);
  entries[position < 0 ? entries.length : position] = entry;
}

// Written out: a loop over the names takes twice as long as parsing the line.
function isBegan(value: JsonObject): boolean {
  return (
    typeof value.id === "string" &&
    typeof value.type === "string" &&
    typeof value.role === "string" &&
    typeof value.ifName === "string" &&
    typeof value.delegateNetwork === "string" &&
    typeof value.path === "string" &&
    typeof value.args === "string" &&
    typeof value.bootId === "string" &&
    typeof value.checksum === "string" &&
    typeof value.uptime === "number" &&
    isJsonObject(value.namespace) &&
    isJsonObject(value.wrapper) &&
    isJsonObject(value.configuration)
  );
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}
