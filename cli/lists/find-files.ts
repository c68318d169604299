import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Terminal } from "../terminal.ts";
import { Trouble, withPath } from "../trouble.ts";
import { type ListFile, parseListFile } from "./list-file.ts";

/**
 * Reads the named files. A directory stands for the files in it that a runtime reads, in the runtime's order: sorted names
 * that end with .conf, .conflist or .json (libcni, ConfFiles). `-` stands for stdin. Throws Trouble if one cannot be read.
 */
export function readListFiles(
  paths: readonly string[],
  { directory, readInput }: Pick<Terminal, "directory" | "readInput">,
): readonly ListFile[] {
  const names = paths.flatMap((path) => (path === "-" ? [path] : namesIn(path, directory)));
  const seen = new Set<string>();
  const isNew = (path: string) => seen.size < seen.add(path === "-" ? path : resolve(directory, path)).size;
  return names
    .filter(isNew)
    .map((path) => (path === "-" ? parsed("stdin", readInput()) : readListFile(path, directory)));
}

/** Reads one file. Throws Trouble if it cannot be read. */
export function readListFile(path: string, directory: string): ListFile {
  const full = fullPath(path, directory);
  return withPath(path, () => parsed(path, readFileSync(full, "utf8")));
}

/** Returns the full path of a file whose text is still the one that was read. Throws Trouble otherwise. */
export function unchangedPath({ path, text }: ListFile, directory: string): string {
  const full = resolve(directory, path);
  if (withPath(path, () => readFileSync(full)).equals(Buffer.from(text))) return full;
  throw new Trouble(`${path}: another program changed the file, or it is not UTF-8; it stays as it is`);
}

function parsed(path: string, text: string): ListFile {
  try {
    return parseListFile(path, text);
  } catch (error) {
    // The parser calls itself for each value in a value.
    if (error instanceof RangeError) throw new Trouble(`${path}: its values are nested too deeply`);
    throw error;
  }
}

function namesIn(path: string, directory: string): readonly string[] {
  const full = fullPath(path, directory);
  return withPath(path, () => {
    if (!statSync(full).isDirectory()) return [path];
    const names = readdirSync(full).filter((name) => /\.(?:conf|conflist|json)$/.test(name));
    return names.sort().map((name) => join(path, name));
  });
}

// The empty path of a shell variable without a value would mean the current directory.
function fullPath(path: string, directory: string): string {
  if (path === "") throw new Trouble("the path is empty; name a file");
  return resolve(directory, path);
}
