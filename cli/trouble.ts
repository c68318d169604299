/** Why a command cannot do its work: exit code 2, and one line that says what to do. */
export class Trouble extends Error {}

/** Runs a file operation. Its error becomes a line that names the path. */
export function withPath<T>(path: string, operation: () => T): T {
  try {
    return operation();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw new Trouble(`${path}: ${reasons[code] ?? code}`);
  }
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: "permission denied; run the command as root",
  EISDIR: "is a directory",
  ENOENT: "there is no such file",
  ENOTDIR: "a part of the path is not a directory",
  ENOSPC: "no space left on the device",
  EROFS: "the file system is read-only",
};
