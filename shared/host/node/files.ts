import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname } from "node:path";
import type { FileIdentity } from "../host.ts";

/** The text of a small file; undefined if it cannot be read. */
export function readFile(path: string): string | undefined {
  return attempt(() => readFileSync(path, "utf8"));
}

/** Writes a file whole or not at all, its directory if missing; the name of the error, or undefined. */
export function writeFile(path: string, text: string): string | undefined {
  const unfinished = `${dirname(path)}/.${basename(path)}`;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(unfinished, text, { mode: 0o600 });
    renameSync(unfinished, path);
    return undefined;
  } catch (error) {
    removeFile(unfinished);
    return (error as NodeJS.ErrnoException).code ?? String(error);
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
