import { closeSync, constants, openSync, writeSync } from "node:fs";
import { attempt } from "./files.ts";

// Node has no constant for this. __O_TMPFILE is the same number on every architecture that Node supports on Linux.
const temporaryFile = 0o20000000 | constants.O_DIRECTORY;
const directories = ["/dev/shm", "/run", "/tmp"];

/**
 * Makes a text this process's stdin, for the executable that replaces it. Stdin must have been read to its end. Returns false,
 * with an empty stdin, if that is impossible.
 */
export function replaceStdin(text: string): boolean {
  // The next open gets the lowest free descriptor: 0.
  closeSync(0);
  if (fileWith(text) === 0) return true;
  openSync("/dev/null", constants.O_RDONLY);
  return false;
}

/** Opens a file without a name that contains a text, so that nothing is left behind; undefined if none can be written. */
export function fileWith(text: string): number | undefined {
  const content = Buffer.from(text);
  for (const directory of directories) {
    const file = attempt(() => openSync(directory, temporaryFile | constants.O_RDWR, 0o600));
    if (file === undefined) continue;
    // By position, so that the reader starts at the beginning.
    if (attempt(() => writeSync(file, content, 0, content.length, 0)) === content.length) return file;
    closeSync(file);
  }
  return undefined;
}
