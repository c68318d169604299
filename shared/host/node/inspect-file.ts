import { accessSync, type BigIntStats, closeSync, constants, openSync, readSync, statSync } from "node:fs";
import type { Host } from "../host.ts";
import { attempt } from "./files.ts";

const compareSize = 1024 * 1024;
/** The file of this process, even if another has been installed over it since. */
const ownFile = "/proc/self/exe";
/** The inodes of an overlay can be so large that several become the same number. */
const exactly = { bigint: true } as const;

/** Tells whether a path can be executed. This executable and its copies count as the wrapper itself. */
export function inspectFile(path: string): ReturnType<Host["inspect"]> {
  const file = attempt(() => statSync(path, exactly));
  if (!file?.isFile()) return "missing";
  if (!isExecutable(path)) return "not executable";
  // A file that cannot be read, or compared because there is no /proc, counts as another one.
  return attempt(() => isItself(path, file)) ? "the wrapper itself" : "executable";
}

function isItself(path: string, file: BigIntStats): boolean {
  const own = statSync(ownFile, exactly);
  if (file.ino === own.ino && file.dev === own.dev) return true;
  return file.size === own.size && hasSameBytes(path, ownFile);
}

/** Compares two files. Throws if one cannot be read. */
export function hasSameBytes(path: string, other: string): boolean {
  const [one, two] = [openSync(path, constants.O_RDONLY), openSync(other, constants.O_RDONLY)];
  const [chunk, otherChunk] = [Buffer.alloc(compareSize), Buffer.alloc(compareSize)];
  try {
    for (;;) {
      const length = readSync(one, chunk);
      if (readSync(two, otherChunk) !== length || !chunk.equals(otherChunk)) return false;
      if (length === 0) return true;
    }
  } finally {
    closeSync(one);
    closeSync(two);
  }
}

/** Whether this process may execute a file. */
export function isExecutable(path: string): boolean {
  return attempt(() => accessSync(path, constants.X_OK) ?? true) === true;
}
