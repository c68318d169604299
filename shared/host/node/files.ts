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
import { basename, dirname } from "node:path";
import type { FileIdentity } from "../host.ts";

/** Reads a small text file; undefined if it cannot be read. */
export function readFile(path: string): string | undefined {
  return attempt(() => readFileSync(path, "utf8"));
}

/**
 * Writes a file completely or not at all, and makes its directory if missing. Returns the name of the error, or undefined.
 * The file survives a power failure: its content is on the disk before it gets its name, and the name before this returns.
 */
export function writeFile(path: string, text: string): string | undefined {
  const directory = dirname(path);
  const unfinished = `${directory}/${unfinishedName(basename(path))}`;
  try {
    makeDirectory(directory, 0o700);
    writeUnfinished(unfinished, text, () => renameSync(unfinished, path));
    flushDirectory(directory);
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? String(error);
  }
}

/**
 * Returns a name that no other process uses, not even one with the same pid in another container. It begins with the file's
 * own name, so that DEL finds the file if its writer was killed. No record's name begins with a dot.
 */
function unfinishedName(name: string): string {
  const writer = `${process.pid}-${process.hrtime.bigint()}`;
  const full = `.${name}:${writer}`;
  return Buffer.byteLength(full) <= 255 ? full : `.${writer}`;
}

/** Creates a file and calls `finish`. If either fails, the file is removed. */
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

/** Makes a directory and its parents. The entry in its parent is flushed to the disk. */
export function makeDirectory(path: string, mode: number): void {
  if (existsSync(path)) return;
  makeDirectory(dirname(path), mode);
  try {
    // With `recursive`, Node would try without end below /proc.
    mkdirSync(path, { mode });
  } catch (error) {
    // Another process may make it at the same time.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  flushDirectory(dirname(path));
}

// Some file systems cannot flush a directory. The file is there anyway.
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

/** Removes a file if possible. Never throws. */
export function removeFile(path: string): void {
  attempt(() => rmSync(path, { force: true }));
}

/** Lists the names in a directory; none if it cannot be read. */
export function listDirectory(path: string): readonly string[] {
  return attempt(() => readdirSync(path)) ?? [];
}

/** Identifies the file at a path; undefined if there is none. */
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
