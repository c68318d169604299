import { lstatSync, readdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { findNodeAtLocation } from "jsonc-parser";
import { editDistance } from "../../shared/protocol/spelling.ts";
import { longestList, readInput } from "../files/read-input.ts";
import { type Terminal, Trouble, withPath } from "../terminal.ts";
import { type ListFile, parseListFile } from "./list-file.ts";

/**
 * Reads the named files. A directory stands for the files in it that a runtime reads, in the runtime's order: sorted names
 * that end with .conf, .conflist or .json (libcni, ConfFiles), and those whose end is misspelled. `-` stands for stdin.
 * Throws Trouble if one cannot be read, or gives it to `leaveOut`.
 */
export function readListFiles(
  paths: readonly string[],
  { directory, readInput: readStdin }: Pick<Terminal, "directory" | "readInput">,
  leaveOut?: (trouble: Trouble) => void,
): readonly ListFile[] {
  const names = paths.flatMap((path) => (path === "-" ? [path] : namesIn(path, directory)));
  const seen = new Set<string>();
  const isNew = (path: string) => seen.size < seen.add(path === "-" ? path : resolve(directory, path)).size;
  const read = (path: string) =>
    path === "-" ? parsed("stdin", readStdin(longestList)) : readListFile(path, directory);
  return names.filter(isNew).flatMap((path) => {
    try {
      return read(path);
    } catch (error) {
      if (!leaveOut || !(error instanceof Trouble)) throw error;
      leaveOut(error);
      return [];
    }
  });
}

/** Reads one file. Throws Trouble if it cannot be read. */
export function readListFile(path: string, directory: string): ListFile {
  const full = fullPath(path, directory);
  return parsed(path, readInput(path, full, longestList).toString());
}

/** Returns the full path of a file whose text is still the one that was read. Throws Trouble otherwise. */
export function unchangedPath({ path, text }: ListFile, directory: string): string {
  const full = resolve(directory, path);
  // guard: a change that another program made meanwhile
  if (readInput(path, full, longestList).equals(Buffer.from(text))) return full;
  throw new Trouble(`${path}: another program changed the file, or it is not UTF-8; it stays as it is`);
}

// The commands compare each plugin with each other one, and explain shows each with the results of all before it.
const mostPlugins = 256;

function parsed(path: string, text: string): ListFile {
  try {
    const file = parseListFile(path, text);
    const { length = 0 } = (file.tree && findNodeAtLocation(file.tree, ["plugins"])?.children) ?? [];
    if (length > mostPlugins) throw new Trouble(`${path}: it has ${length} plugins; a list has at most ${mostPlugins}`);
    return file;
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
    const names = readdirSync(full).filter((name) => /\.(?:conf|conflist|json)$/.test(name) || isMisspelt(name));
    // libcni reads no directory (libcni/conf.go, ConfFiles).
    const isRead = (name: string) => lstatSync(join(full, name), { throwIfNoEntry: false })?.isDirectory() !== true;
    return names
      .filter(isRead)
      .sort()
      .map((name) => join(path, name));
  });
}

/** Whether a file's name nearly ends with .conflist: no runtime reads it. A backup has other characters at its end. */
export function isMisspelt(name: string): boolean {
  const [, end = ""] = /\.([A-Za-z]+)$/.exec(name) ?? [];
  return end !== "conflist" && editDistance(end.toLowerCase(), "conflist") <= 2;
}

// The empty path of a shell variable without a value would mean the current directory.
function fullPath(path: string, directory: string): string {
  if (path === "") throw new Trouble("the path is empty; name a file");
  return resolve(directory, path);
}
