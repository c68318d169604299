import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import type { FileIdentity } from "../host.ts";

/** The text of a small file; undefined if it cannot be read. */
export function readFile(path: string): string | undefined {
  return attempt(() => readFileSync(path, "utf8"));
}

/**
 * Writes a file whole or not at all, its directory if missing; the name of the error, or undefined. It outlasts a power failure as
 * well: what was written is on the disk before it gets its name, and the name before this returns.
 */
export function writeFile(path: string, text: string): string | undefined {
  const directory = dirname(path);
  // No other process has this name, not even one with the same id in another container. No record's name begins with a dot.
  const unfinished = `${directory}/.${process.pid}.${process.hrtime.bigint()}`;
  try {
    makeDirectory(directory);
    writeUnfinished(unfinished, text, () => renameSync(unfinished, path));
    flushDirectory(directory);
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? String(error);
  }
}

/** Creates and writes a file, and removes it again where that, or what is done with it, fails. */
function writeUnfinished(path: string, text: string, finish: () => void): void {
  const file = openSync(path, "wx", 0o600);
  try {
    flush(file, () => writeFileSync(file, text));
    finish();
  } catch (error) {
    removeFile(path);
    throw error;
  }
}

/** Makes a directory with those above it. Each one's entry is in the directory above, which is put on the disk. */
function makeDirectory(path: string): void {
  if (existsSync(path)) return;
  makeDirectory(dirname(path));
  // Another process may make it at this moment.
  mkdirSync(path, { recursive: true, mode: 0o700 });
  flushDirectory(dirname(path));
}

// Some file systems cannot do it to a directory: the file is there all the same.
function flushDirectory(path: string): void {
  attempt(() => flush(openSync(path, "r")));
}

function flush(file: number, action: () => void = () => {}): void {
  try {
    action();
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Removes a file, if it is there and can be. */
export function removeFile(path: string): void {
  attempt(() => rmSync(path, { force: true }));
}

/** The names in a directory; none if it cannot be read. */
export function listDirectory(path: string): readonly string[] {
  return attempt(() => readdirSync(path)) ?? [];
}

/** What a path leads to; undefined if there is nothing. */
export function stat(path: string): FileIdentity | undefined {
  const found = attempt(() => statSync(path));
  return found && { device: found.dev, inode: found.ino, modifiedMs: found.mtimeMs };
}

function attempt<T>(action: () => T): T | undefined {
  try {
    return action();
  } catch {
    return undefined;
  }
}
