import type { EventEmitter } from "node:events";
import type { Release } from "../shared/host/host.ts";

/** Where the commands come from: also the platform, and the versions of the software inside. */
export interface Build extends Release {
  readonly target: string;
  readonly parts: Readonly<Record<string, string>>;
}

/** Where a command writes, and what it knows of its surroundings. Tests pass their own. */
export interface Terminal {
  readonly release: Build;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The stand-alone executable that runs; undefined in the npm package. */
  readonly executable?: string | undefined;
  /** The directory that relative paths start from. */
  readonly directory: string;
  /** Asks a person whether to go on; undefined if nobody is there to answer. */
  readonly confirm?: ((message: string) => Promise<boolean>) | undefined;
  /** Whether the terminal shows colors. */
  readonly hasColors: boolean;
  /** Characters in a line. */
  readonly width: number;
  write(text: string): void;
  writeError(text: string): void;
  /** stderr, if a person sees it: a place for what changes while a command works. */
  readonly progress?: NodeJS.WriteStream | undefined;
  /** Reads stdin to its end. Throws Trouble if it has more bytes than the limit. */
  readInput(limit: number): string;
  /** Waits, in milliseconds, for what happens on the host meanwhile. */
  wait(milliseconds: number): Promise<unknown>;
  /** Says why this process cannot tell which containers of a cache live; undefined if it can. */
  viewProblem(cacheDirectory: string): string | undefined;
}

/** What decides whether text is painted. */
export type Colors = Pick<Terminal, "hasColors">;

/** The sequences that begin and end each style. */
const styles = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
} as const;

/** Colors and weights that `styled` knows. */
export type Style = keyof typeof styles;

// Nobody else knows it: no list, cache or plugin can have a sequence with it. cli-table3 takes it for a part of a style.
const token = Array.from(crypto.getRandomValues(new Uint16Array(3)), (number) => 1000 + (number % 9000)).join(";");

/** Returns the text in a style if the terminal shows colors. `printable` lets only these sequences pass. */
export function styled(terminal: Colors, style: Style, text: string): string {
  if (!terminal.hasColors) return text;
  const [begin, end] = styles[style];
  return `\u001b[${begin};${token}m${escaped(text)}\u001b[${end};${token}m`;
}

/**
 * Returns the text with the escapes of JSON for control characters. Lists, caches and plugins could otherwise move the cursor,
 * hide lines or color them. The sequences of `styled` stay.
 */
export function printable(text: string): string {
  return escaped(text).replaceAll(`;${token}m`, "m");
}

/** The same, with the sequences of `styled` as they are. */
export function escaped(text: string): string {
  return text.replace(unprintable, (found) => {
    if (found.length > 1 || found === "\n" || found === "\t") return found;
    return `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}

/** Returns a text as a part of one line: a line break in it gets its escape too. */
export function oneLine(text: string): string {
  return text.replaceAll("\r", "\\r").replaceAll("\n", "\\n");
}

/** Writes the data of `--json`. */
export function jsonText(data: unknown): string {
  return `${JSON.stringify(data, null, 2)}\n`;
}

/** Writes a number of things, such as `2 files`. */
export function counted(count: number, word: string, words = `${word}s`): string {
  return `${count} ${count === 1 ? word : words}`;
}

// Also the characters that change the direction of a text, and the line breaks of Unicode.
const unprintable = new RegExp(`\\r\\n|\\u001b\\[\\d+;${token}m|[\\p{Cc}\\p{Bidi_Control}\\u2028\\u2029]`, "gu");

/** Ends a command. */
export type ExitCode = 0 | 1 | 2;

/** What each exit code means, for help, manual pages and docs/commands.md. */
export const exitCodes: Readonly<Record<ExitCode, string>> = {
  0: "All that was asked about was looked at, and is good.",
  1: "Something is wrong, or is left to do.",
  2: "Something could not be looked at, or not be done, even if something else is wrong.",
};

/** The exit codes below the help of a command. */
export const exitCodeHelp = [
  "\nExit codes:",
  ...Object.entries(exitCodes).map(([code, meaning]) => `  ${code}  ${meaning}`),
].join("\n");

/** The exit code of a verdict: nothing is good that was not looked at. */
export function exitCodeOf({ isGood, isComplete }: { isGood: boolean; isComplete: boolean }): ExitCode {
  // guard: nothing is called good that was not looked at
  if (!isComplete) return 2;
  return isGood ? 0 : 1;
}

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

/** Calls `fail` with a message if output is lost. A reader that closes the pipe, such as head, has what it wants. */
export function watchOutput(stream: EventEmitter, name: string, fail: (message: string) => void): void {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") fail(`${name}: ${reasonOf(error)}`);
  });
}
