import { closeSync, constants, openSync, writeSync } from "node:fs";
import { attempt } from "./files.ts";

// Node has no constant for this. __O_TMPFILE is the same number on every architecture that Node supports on Linux.
const temporaryFile = 0o20000000 | constants.O_DIRECTORY;
const directories = ["/dev/shm", "/run", "/tmp"];

/**
 * Makes a text this process's stdin, for the executable that replaces it. Stdin must have been read to its end. Descriptor 0
 * becomes a file without a name, so that nothing is ever left behind. Returns false, with an empty stdin, if no such file can
 * be written.
 */
export function replaceStdin(text: string): boolean {
  const content = Buffer.from(text);
  // The next open gets the lowest free descriptor: 0.
  closeSync(0);
  if (directories.some((directory) => becomeStdin(directory, content))) return true;
  openSync("/dev/null", constants.O_RDONLY);
  return false;
}

function becomeStdin(directory: string, content: Buffer): boolean {
  const file = attempt(() => openSync(directory, temporaryFile | constants.O_RDWR, 0o600));
  if (file === undefined) return false;
  // By position, so that the reader starts at the beginning.
  if (file === 0 && attempt(() => writeSync(file, content, 0, content.length, 0)) === content.length) return true;
  closeSync(file);
  return false;
}
