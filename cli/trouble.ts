import { oneLine } from "./terminal.ts";

/** Why a command cannot do its work: exit code 2, and one line that says what to do. */
export class Trouble extends Error {}

/** Runs a file operation. Its error becomes a line that names the path. */
export function withPath<T>(path: string, operation: () => T): T {
  try {
    return operation();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    throw new Trouble(`${oneLine(path)}: ${reasonOf(error as NodeJS.ErrnoException)}`);
  }
}

/** Says in words why the system refused something. */
export function reasonOf({ code, message, syscall }: NodeJS.ErrnoException): string {
  return code === undefined ? message : (reasons[`${code} ${syscall}`] ?? reasons[code] ?? code);
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: "permission denied; run the command as root",
  EBUSY: "something is mounted on it",
  "EEXIST open": "a killed run had left a file; run the command again",
  EISDIR: "is a directory",
  ELOOP: "its symbolic links form a circle",
  ENAMETOOLONG: "the name is too long",
  ENOENT: "there is no such file",
  ENOTDIR: "a part of the path is not a directory",
  ENOSPC: "no space left on the device",
  "EPERM link":
    "it is immutable (run: chattr -i), or its file system has no hard links; then remove the links and the executable by hand, once no container needs them",
  EPERM: "the file system or its attributes do not allow it",
  EXDEV: "something is mounted on it, or it is on another file system",
  ETXTBSY: "another program has it open for writing; run the command again when that has ended",
  EROFS: "the file system is read-only",
};
