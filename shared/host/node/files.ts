import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmdirSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import type { Appending, FileIdentity } from "../host.ts";

/** Reads a small text file; undefined if it cannot be read. Waits for no writer of a pipe. */
export function readFile(path: string): string | undefined {
  const flag = constants.O_RDONLY | constants.O_NONBLOCK;
  return attempt(() => readFileSync(path, { encoding: "utf8", flag }));
}

// Waits for no reader of a pipe.
const appending = constants.O_WRONLY | constants.O_APPEND | constants.O_NONBLOCK;

/** Appends a text to a journal, as `Host.appendJournal` says. */
export function appendJournal(path: string, text: string, { makesFile, isFlushed }: Appending): string | undefined {
  try {
    return closing(makesFile ? openJournal(path) : openSync(path, appending), (file) => {
      writeFileSync(file, text);
      if (isFlushed) fsyncSync(file);
      // The name of an older file is on the disk already.
      if (isFlushed && fstatSync(file).size === Buffer.byteLength(text)) flushDirectory(dirname(path));
      return undefined;
    });
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? String(error);
  }
}

/** Another call may remove the directory in the moment between. */
function openJournal(path: string): number {
  for (let tries = 0; ; tries++) {
    try {
      return openSync(path, appending | constants.O_CREAT, 0o600);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT" || tries === 100) throw error;
      makeDirectory(dirname(path), 0o700);
    }
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
  attempt(() => closing(openSync(path, "r"), fsyncSync));
}

/** Returns what an action returns for an opened file or directory, and closes it, also if the action throws. */
export function closing<T>(file: number, action: (file: number) => T): T {
  try {
    return action(file);
  } finally {
    closeSync(file);
  }
}

/** Removes a file if possible. Never throws. */
export function removeFile(path: string): void {
  attempt(() => rmSync(path));
}

/** Removes a directory if it is empty. Never throws. */
export function removeDirectory(path: string): void {
  attempt(() => rmdirSync(path));
}

/** Lists the names in a directory, none if there is none; undefined if it cannot be read. */
export function listDirectory(path: string): readonly string[] | undefined {
  try {
    return readdirSync(path);
  } catch (error) {
    return ["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "") ? [] : undefined;
  }
}

/** Identifies the file at a path; undefined if there is none. */
export function stat(path: string): FileIdentity | undefined {
  const named = attempt(() => lstatSync(path));
  const isLink = named?.isSymbolicLink();
  const found = isLink ? attempt(() => statSync(path)) : named;
  const isUnnamed = isLink && attempt(() => realpathSync.native(path)) === undefined;
  if (found === undefined) return undefined;
  const { dev, ino, size, mtimeMs, ctimeMs } = found;
  return { device: dev, inode: ino, size, modifiedMs: mtimeMs, changedMs: ctimeMs, ...(isUnnamed && { isUnnamed }) };
}

/** Returns what an action returns; undefined if it throws. */
export function attempt<T>(action: () => T): T | undefined {
  try {
    return action();
  } catch {
    return undefined;
  }
}

/** The longest write to a pipe that no other process's write can tear (PIPE_BUF). In bytes. */
const longestInPipe = 4096;

/** Appends a line to a log, as `Host.appendLine` says. */
export function appendLine(file: string, line: string): string | undefined {
  try {
    return closing(openByName(file, openFile, openOrMakeDirectory), (log) => {
      const bytes = Buffer.from(line);
      const problem = refusal(log, bytes);
      if (problem === undefined) writeSync(log, bytes);
      return problem;
    });
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? String(error);
  }
}

/** Opens what has a path of one name, with more flags. */
type Open = (path: string, more: number) => number;

/**
 * Opens a path name by name, so that nobody can replace a directory or link of it meanwhile: the last name with `open`, those
 * above with `openAbove`. Links are followed here, because a link of root's may lead to another user's. Throws if one must not be
 * followed.
 */
export function openByName(path: string, open: Open, openAbove: Open): number {
  const names = path.split("/").filter(Boolean);
  let directory = openSync(path.startsWith("/") ? "/" : ".", directoryFlags);
  const enter = (next: number) => {
    closeSync(directory);
    directory = next;
  };
  try {
    for (let links = 0; ; ) {
      const [name = "."] = names.splice(0, 1);
      const isLast = names.length === 0;
      const opened = attemptIn(directory, name, isLast ? open : openAbove);
      if (typeof opened === "number" && isLast) return opened;
      if (typeof opened === "number") enter(opened);
      else {
        if (++links > mostLinks) throw Object.assign(new Error(), { code: "ELOOP" });
        names.unshift(...opened.target.split("/").filter(Boolean));
        if (opened.target.startsWith("/")) enter(openSync("/", directoryFlags));
      }
    }
  } finally {
    closeSync(directory);
  }
}

/** O_PATH (include/uapi/asm-generic/fcntl.h), which Node does not name. Only the name is opened: no pipe, no device. */
export const nameOnly = 0o10000000;

const directoryFlags = nameOnly | constants.O_DIRECTORY;
// As many as the kernel follows.
const mostLinks = 40;
const procFileSystem = 0x9fa0;

/** Opens what has a name in a directory. Returns the target if it is a link to be followed, and throws if it must not be. */
function attemptIn(directory: number, name: string, open: Open): number | { readonly target: string } {
  // Node has no openat(2).
  const place = `/proc/self/fd/${directory}`;
  const path = `${place}/${name}`;
  try {
    return open(path, constants.O_NOFOLLOW);
  } catch (error) {
    const target = attempt(() => readlinkSync(path));
    // guard: the target of a link that another user may have made
    if (target === undefined || isOpenToOthers(place)) throw error;
    // A link to an opened file has no path.
    return statfsSync(place).type === procFileSystem ? open(path, 0) : { target };
  }
}

function openFile(path: string, more: number): number {
  // O_NONBLOCK: a log that is a pipe without a reader must not block the network.
  const flags = appending | constants.O_CREAT;
  const file = openSync(path, flags | more, 0o640);
  // guard: a file that another user has linked to the log's name
  if (!isForeignLink(path, file)) return file;
  closeSync(file);
  throw Object.assign(new Error(), { code: "EMLINK" });
}

/**
 * Whether an opened file may be elsewhere, too: with fs.protected_hardlinks 0, everybody can link every file. One look at the name
 * tells both, as it may be another file's by now.
 */
function isForeignLink(path: string, file: number): boolean {
  // guard: a log in a directory of root's may have two names
  if (!isOpenToOthers(dirname(path))) return false;
  const [named, opened] = [lstatSync(path), fstatSync(file)];
  // guard: a file that another user has linked to the log's name
  return named.nlink !== 1 || named.ino !== opened.ino || named.dev !== opened.dev;
}

function openOrMakeDirectory(path: string, more: number): number {
  try {
    return openDirectory(path, more);
  } catch {
    // Another process may make it at the same time, or there is something else.
    attempt(() => mkdirSync(path, { mode: 0o755 }));
    return openDirectory(path, more);
  }
}

/** Opens a directory as a place for names. It cannot be read. */
export function openDirectory(path: string, more: number): number {
  return openSync(path, directoryFlags | more);
}

/** Whether a user other than root and this process's own, or a group, can make files in a directory. */
function isOpenToOthers(directory: string): boolean {
  const found = statSync(directory);
  // guard: a directory where another user may write
  return (found.mode & 0o022) !== 0 || !isOwn(found);
}

/** Whether a file is root's, or of this process's user. */
export function isOwn({ uid }: { readonly uid: number }): boolean {
  // guard: a file of another user is not trusted
  return uid === 0 || uid === process.geteuid?.();
}

// A line would become a part of the answer, or of a delegate's input.
function refusal(log: number, line: Buffer): string | undefined {
  const file = fstatSync(log);
  const isFile = (stream: number): boolean => fstatSync(stream).ino === file.ino && fstatSync(stream).dev === file.dev;
  // guard: the call's own input and output
  if (isFile(0) || isFile(1)) return "EINVAL";
  return line.length > longestInPipe && file.isFIFO() ? "EMSGSIZE" : undefined;
}
