import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { isJsonObject, type JsonObject, parseJsonObject } from "../../shared/protocol/json.ts";
import type { CniResult } from "../../shared/protocol/result.ts";
import { recordDirectory } from "../../shared/record/record.ts";
import { writeAtomically } from "../files/atomic-write.ts";
import type { CachedAttachment } from "../live/cached-results.ts";
import { Trouble, withPath } from "../trouble.ts";
import type { MissingRecord } from "./records.ts";

/** What `--undo` needs: the cache file before and after, and the records that were added. */
interface Backup {
  readonly file: string;
  readonly before: string;
  readonly after: string;
  readonly records: readonly string[];
}

/** The directory of the backups. It is not in the directory of the results, because libcni takes every file there for one. */
function backupDirectory(cacheDirectory: string): string {
  return join(cacheDirectory, "adopted");
}

/**
 * Replaces the result in an attachment's cache file, and writes the records that it lacks. The backup is written first, so a
 * kill at any moment leaves the old file or the new one, and a backup that fits. Throws Trouble if the file has changed since
 * it was read.
 */
export function adopt(
  cacheDirectory: string,
  { file }: CachedAttachment,
  { read, result, records }: { read: string; result: CniResult; records: readonly MissingRecord[] },
): void {
  const added = records.filter((record) => !existsSync(record.file));
  const after = withResult(read, result);
  const backup = { before: read, after, records: added.map((record) => record.file) };
  mkdirSync(backupDirectory(cacheDirectory), { recursive: true, mode: 0o700 });
  writeAtomically(backupFile(cacheDirectory, file), `${JSON.stringify(backup)}\n`);
  if (textOf(file) !== read) throw new Trouble(`${file}: it changed meanwhile; run adopt again`);
  writeResult(cacheDirectory, file, after);
  for (const record of added) {
    mkdirSync(dirname(record.file), { recursive: true, mode: 0o700 });
    writeAtomically(record.file, JSON.stringify(record.record));
  }
}

/** How `--undo` ended for one attachment. */
export type Undone = "restored" | "gone" | "changed since";

/** Restores what `adopt` replaced, for the attachments that a filter accepts. A file that changed since stays. */
export function undo(
  cacheDirectory: string,
  isWanted: (file: string) => boolean,
): readonly (readonly [string, Undone])[] {
  return backupsIn(cacheDirectory)
    .filter(({ file }) => isWanted(file))
    .map((backup) => {
      const undone = undoOne(cacheDirectory, backup);
      if (undone !== "changed since") rmSync(backupFile(cacheDirectory, backup.file));
      return [backup.file, undone];
    });
}

function undoOne(cacheDirectory: string, { file, before, after, records }: Backup): Undone {
  const now = textOf(file);
  if (now !== undefined && now !== after && now !== before) return "changed since";
  for (const record of records) rmSync(record, { force: true });
  if (now === undefined) return "gone";
  if (now === after) writeResult(cacheDirectory, file, before);
  return "restored";
}

// libcni takes every file next to a result for a result, also what a killed process leaves.
function writeResult(cacheDirectory: string, file: string, text: string): void {
  writeAtomically(file, text, backupDirectory(cacheDirectory));
}

function backupsIn(cacheDirectory: string): readonly Backup[] {
  const directory = backupDirectory(cacheDirectory);
  const names = existsSync(directory) ? withPath(directory, () => readdirSync(directory)) : [];
  // A killed process may have left a file that begins with a dot.
  return names
    .filter((name) => !name.startsWith("."))
    .flatMap((name) => {
      const value = parseJsonObject(textOf(join(directory, name)) ?? "");
      // The backup's name tells the file, so that no backup can name a file elsewhere.
      return isBackup(value) ? { ...value, file: join(cacheDirectory, "results", name) } : [];
    });
}

function isBackup(value: unknown): value is Omit<Backup, "file"> & JsonObject {
  if (!isJsonObject(value) || typeof value.before !== "string" || typeof value.after !== "string") return false;
  return Array.isArray(value.records) && value.records.every(isRecordFile);
}

function isRecordFile(file: unknown): boolean {
  return typeof file === "string" && file === join(recordDirectory, basename(file));
}

function backupFile(cacheDirectory: string, file: string): string {
  return join(backupDirectory(cacheDirectory), basename(file));
}

// Go's encoder wrote the file. The keys that adopt does not change keep their place.
function withResult(text: string, result: CniResult): string {
  return JSON.stringify({ ...parseJsonObject(text), result });
}

/** Returns the text of a file; undefined if there is none. */
export function textOf(file: string): string | undefined {
  return existsSync(file) ? withPath(file, () => readFileSync(file, "utf8")) : undefined;
}
