import { closeSync, constants, fstatSync, lstatSync, openSync, readdirSync, readSync, statSync } from "node:fs";
import { attempt, closing, isOwn } from "../../shared/host/node/files.ts";
import { oneLine, Trouble, withPath } from "../terminal.ts";

/** The longest list that a command reads, in bytes. */
export const longestList = 1024 * 1024;
/** The same for reports of many hosts. */
export const longestReport = 256 * 1024 * 1024;

/** Reads a file that others may have put there. Throws Trouble if it cannot be read, or has more than `limit` bytes. */
export function readInput(path: string, full: string, limit: number): Buffer {
  return withPath(path, () => closing(openInput(path, full), (file) => readOpened(path, file, limit)));
}

/**
 * Opens a file that others may have put there: no pipe, which would wait, no device, which has no end, and no link of another
 * user, which may lead to a file of root's. Throws Trouble then.
 */
export function openInput(path: string, full: string): number {
  const name = attempt(() => lstatSync(full));
  // guard: no file of root's is read through another user's link
  if (name?.isSymbolicLink() && !isOwn(name))
    throw new Trouble(`${oneLine(path)}: it is a link of another user, which may lead anywhere; name its file`);
  // guard: no file of root's is read through a link that another user puts there meanwhile
  const meanwhile = name?.isSymbolicLink() ? 0 : constants.O_NOFOLLOW;
  if (name?.isSymbolicLink() && statSync(full, { throwIfNoEntry: false }) === undefined)
    throw new Trouble(`${oneLine(path)}: it is a link to a file that is missing`);
  // Without a writer, a pipe would wait for one.
  const file = openSync(full, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY | meanwhile);
  const found = fstatSync(file);
  // guard: no pipe or device is read
  if (found.isFile() || found.isDirectory()) return file;
  closeSync(file);
  throw new Trouble(`${oneLine(path)}: it is not a regular file; write its content into one`);
}

/** Reads an opened file to its end. Throws Trouble if it has more than `limit` bytes. */
export function readOpened(path: string, file: number, limit: number): Buffer {
  const chunks: Buffer[] = [];
  let size = 0;
  for (;;) {
    const chunk = Buffer.allocUnsafe(64 * 1024);
    const length = withPath(path, () => readSync(file, chunk));
    if (length === 0) return Buffer.concat(chunks, size);
    size += length;
    // guard: no file fills the memory
    if (size > limit) throw new Trouble(`${oneLine(path)}: it has more than ${limit / 1024 ** 2} MiB`);
    chunks.push(chunk.subarray(0, length));
  }
}

/** Lists the files in a directory, sorted, without those that a killed process left half written; none if there is no directory. */
export function filesIn(directory: string): readonly string[] {
  // guard: what a killed process left half written is no backup and no result
  const isFinished = (name: string) => !name.startsWith(".");
  return listed(directory).filter(isFinished).sort();
}

/** Lists the names in a directory; none if there is no directory, or a file that `mayBeFile`. Throws Trouble if it cannot be read. */
export function listed(directory: string, mayBeFile = false): readonly string[] {
  return withPath(directory, () => {
    try {
      return readdirSync(directory);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "ENOTDIR" && mayBeFile) return [];
      // guard: a link to a directory that is missing is not called empty
      if (code === "ENOENT" && (mayBeFile || attempt(() => lstatSync(directory)) === undefined)) return [];
      throw error;
    }
  });
}
