import { isJsonObject, type JsonObject, jsonText, parseJsonObject } from "../protocol/json.ts";
import {
  type AttachmentKey,
  type Began,
  type Done,
  type Entry,
  type Failed,
  isSameAttachment,
  type Journal,
  journalFile,
  keyOf,
  type Line,
} from "./journal.ts";

/** The format of the lines that this version writes. */
const presentFormat = 1;

/** Returns the text of lines, as one write appends it. Code 6 if a configuration cannot be written as JSON. */
export function linesText(lines: readonly Line[]): string {
  return lines.map((line) => `${jsonText(line)}\n`).join("");
}

/** Returns the line with which an entry begins. */
export function beganLine({ isGivenUp: _up, isUndone: _undone, done: _done, ...began }: Began & Partial<Entry>): Line {
  return { line: "began", format: presentFormat, ...began };
}

/** Parses the journal of an attachment; `text` is undefined if there is no file. */
export function parseJournal(key: AttachmentKey, text?: string, file = journalFile(key)): Journal {
  return parseFoundJournal(file, text ?? "", key) as Journal;
}

/** Returns a journal with lines that were appended to it. */
export function withLines(journal: Journal, lines: readonly Line[]): Journal {
  const entries = journal.entries.map((entry): Growing => ({ ...entry }));
  for (const line of lines) apply(line as unknown as JsonObject, entries);
  return { ...journal, entries };
}

/** Parses the journal in a file. Undefined if nobody knows whose it is, and its first line does not say so. */
export function parseFoundJournal(file: string, text: string, known?: AttachmentKey): Journal | undefined {
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
  const owner = first && keyOf(first.network, first.containerId, first.runtimeIfName);
  const key = known ?? owner;
  if (key === undefined || (known === undefined && journalFile(key) !== file)) return undefined;
  let problem: string | undefined;
  if (!areKnown) problem = "a newer version has written it";
  else if (lines.length > 0 && owner === undefined) problem = "its first line does not say whose it is";
  else if (owner && !isSameAttachment(owner, key)) problem = "it is of another attachment";
  return { file, key, isTorn, entries: problem === undefined ? entries : [], problem };
}

/** An entry that later lines still change. A copy for each line would take longer than parsing it. */
type Growing = { -readonly [K in keyof Entry]: Entry[K] };

/** Changes the entries as a line with valid values says. Returns false for a line of a newer version. */
function apply(value: JsonObject, entries: Growing[]): boolean {
  const { line, format, id, ids, addresses, routed, left } = value;
  if (line === "given up") {
    if (isTexts(ids)) for (const entry of entries) entry.isGivenUp ||= ids.includes(entry.id);
    return true;
  }
  const position = entries.findIndex((one) => one.id === id);
  const entry = entries[position];
  switch (line) {
    case "began":
      if (typeof format !== "number" || format > presentFormat) return false;
      // The last one counts: a stray ADD writes another one after it has passed.
      if (isBegan(value))
        entries[entry ? position : entries.length] = {
          ...value,
          isGivenUp: false,
          isUndone: false,
        } as unknown as Growing;
      return true;
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
    isNamespace(value.namespace) &&
    isJsonObject(value.wrapper) &&
    isJsonObject(value.configuration)
  );
}

function isNamespace(value: unknown): boolean {
  if (!isJsonObject(value)) return false;
  const { path, device, inode, changedMs } = value;
  const hasTime = changedMs === undefined || typeof changedMs === "number";
  return typeof path === "string" && typeof device === "number" && typeof inode === "number" && hasTime;
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}
