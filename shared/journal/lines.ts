import { isJsonObject, type JsonObject, parseJsonObject } from "../protocol/json.ts";
import { jsonText } from "../protocol/json-text.ts";
import {
  type AttachmentKey,
  type Began,
  type Entry,
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
  return journalIn(journalFile(key), key, linesIn(text));
}

/** Parses a journal of which only the file is known. Undefined if the file does not say whose it is. */
export function parseFoundJournal(file: string, text: string): Journal | undefined {
  const lines = linesIn(text);
  const key = ownerIn(lines);
  if (!key || !isKey(key) || journalFile(key) !== file) return undefined;
  const { network, containerId, runtimeIfName } = key;
  return journalIn(file, { network, containerId, runtimeIfName }, lines);
}

/** The lines of a journal. One that is no JSON is undefined: it was cut off, and another one has been appended. */
interface Lines {
  readonly values: readonly (JsonObject | undefined)[];
  readonly isTorn: boolean;
}

function linesIn(text: string): Lines {
  const lines = text.split("\n");
  // The last line has no line break if its writer was killed, or the disk was full.
  const isTorn = lines.pop() !== "";
  return { values: lines.map(parseJsonObject), isTorn };
}

function journalIn(file: string, key: AttachmentKey, lines: Lines): Journal {
  const problem = problemOf(key, lines);
  const entries = problem === undefined ? entriesOf(lines.values) : [];
  return { file, key, isTorn: lines.isTorn, entries, problem };
}

/** Says why a journal cannot be read. */
function problemOf(key: AttachmentKey, lines: Lines): string | undefined {
  if (lines.values.some((line) => line && !isKnown(line))) return "a newer version has written it";
  if (lines.values.length === 0) return undefined;
  const owner = ownerIn(lines);
  if (owner === undefined || !isKey(owner)) return "its first line does not say whose it is";
  return isSameAttachment(owner, key) ? undefined : "it is of another attachment";
}

/** The first line that can be read says whose the journal is. */
function ownerIn({ values }: Lines): JsonObject | undefined {
  return values.find((line) => line !== undefined);
}

const laterLines: readonly string[] = ["done", "failed", "given up", "undone"] satisfies Line["line"][];

function isKnown({ line, format }: JsonObject): boolean {
  if (line === "began") return typeof format === "number" && format <= presentFormat;
  return typeof line === "string" && laterLines.includes(line);
}

function isKey(value: JsonObject): value is JsonObject & AttachmentKey {
  return ["network", "containerId", "runtimeIfName"].every((name) => typeof value[name] === "string");
}

/** An entry that later lines still change. A copy for each line would take longer than parsing it. */
type Growing = { -readonly [K in keyof Entry]: Entry[K] };

function entriesOf(values: readonly (JsonObject | undefined)[]): Entry[] {
  const entries = new Map<string, Growing>();
  for (const value of values) if (value && isLine(value)) apply(value, entries);
  return [...entries.values()];
}

function apply(line: Line, entries: Map<string, Growing>): void {
  if (line.line === "began") entries.set(line.id, Object.assign(line, { isGivenUp: false, isUndone: false }));
  else if (line.line === "given up") for (const id of line.ids) changeEntry(line, entries.get(id));
  else changeEntry(line, entries.get(line.id));
}

function changeEntry(line: Exclude<Line, { line: "began" }>, entry: Growing | undefined): void {
  if (entry === undefined) return;
  if (line.line === "done") entry.done = line;
  else if (line.line === "failed") entry.failed = line;
  else {
    entry.isGivenUp = true;
    entry.isUndone ||= line.line === "undone";
  }
}

function isLine(value: JsonObject): value is JsonObject & Line {
  switch (value.line) {
    case "began":
      return isBegan(value);
    case "done":
      return (
        typeof value.id === "string" &&
        isTexts(value.addresses) &&
        (value.routed === undefined || isTexts(value.routed)) &&
        typeof value.uptime === "number"
      );
    case "failed":
      return (
        typeof value.id === "string" &&
        ["number", "undefined"].includes(typeof value.left) &&
        (value.addresses === undefined || isTexts(value.addresses))
      );
    case "given up":
      return isTexts(value.ids);
    default:
      return typeof value.id === "string";
  }
}

const textsOfBegan = ["id", "type", "role", "ifName", "delegateNetwork", "path", "args", "bootId", "checksum"] as const;

function isBegan(value: JsonObject): boolean {
  for (const name of textsOfBegan) if (typeof value[name] !== "string") return false;
  const { namespace, wrapper, configuration, uptime } = value;
  return typeof uptime === "number" && isJsonObject(namespace) && isJsonObject(wrapper) && isJsonObject(configuration);
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}
