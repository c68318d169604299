import { closeSync, constants, fstatSync, openSync, statSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { makeDirectory } from "./files.ts";

/** The longest write to a pipe that no other process's write can tear (PIPE_BUF). In bytes. */
const longestInPipe = 4096;

/** Appends a line to a log, as `Host.appendLine` says. */
export function appendLine(file: string, line: string): string | undefined {
  try {
    append(file, Buffer.from(line));
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? String(error);
  }
}

function append(file: string, line: Buffer): void {
  const log = openLog(file);
  try {
    const problem = refusal(log, line);
    if (problem !== undefined) throw Object.assign(new Error(), { code: problem });
    writeSync(log, line);
  } finally {
    closeSync(log);
  }
}

function openLog(file: string): number {
  try {
    return openSync(file, flagsFor(file), 0o640);
  } catch {
    makeDirectory(dirname(file), 0o755);
    return openSync(file, flagsFor(file), 0o640);
  }
}

// O_NONBLOCK: a log that is a pipe without a reader must not block the network.
function flagsFor(file: string): number {
  const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NONBLOCK;
  return isOpenToOthers(dirname(file)) ? flags | constants.O_NOFOLLOW : flags;
}

/** Whether a user other than root and this process's own can make files in a directory. */
function isOpenToOthers(directory: string): boolean {
  const { mode, uid } = statSync(directory);
  return (mode & 0o002) !== 0 || (uid !== 0 && uid !== process.geteuid?.());
}

// A line would become a part of the answer, or of a delegate's input.
function refusal(log: number, line: Buffer): string | undefined {
  const file = fstatSync(log);
  const isFile = (stream: number): boolean => fstatSync(stream).ino === file.ino && fstatSync(stream).dev === file.dev;
  if (isFile(0) || isFile(1)) return "EINVAL";
  return line.length > longestInPipe && file.isFIFO() ? "EMSGSIZE" : undefined;
}
