import type { Environment } from "../protocol/variables.ts";

/** Bytes that a host keeps: from stdin, or from a delegate's stdout. */
export interface Bytes {
  /** The text; undefined if the bytes are not valid UTF-8. */
  decodeUtf8(): string | undefined;
  /** Writes all of them to stdout. Throws if that fails. */
  print(): void;
}

/** Everything that a wrapper needs of the machine. The core knows no more of it than this. */
export interface Host {
  readonly env: Environment;
  /** The name that the executable was started by (argv 0), and its real path. */
  readonly calledAs: string;
  readonly executable: string;
  readonly pid: number;
  readonly release: Release;
  /** Milliseconds since 1970. */
  now(): number;
  /** All of stdin; undefined as soon as it is more than `limit` bytes. Throws the name of the error if it cannot be read. */
  readStdin(limit: number): Bytes | undefined;
  /** Writes all of a text to stdout. Throws if that fails. */
  writeStdout(text: string): void;
  /** What a path leads to, as far as executing it goes; a copy of this executable is itself. */
  inspect(path: string): "executable" | "not executable" | "missing" | "the wrapper itself";
  /**
   * Lets an executable take this process's place, with this process's variables but for `changes`, and with `stdin` (or the
   * present one) as its stdin. Returns, with nothing done, if that is impossible: the caller then spawns.
   */
  tryExec(path: string, changes: Environment, stdin: string | undefined): void;
  /** Runs an executable with the same variables and stdin to its end and reads its stdout, `limit` bytes at most; its stderr is this process's. */
  spawn(path: string, changes: Environment, stdin: string | undefined, limit: number): Answer;
  /** The text of a small file; undefined if it cannot be read. */
  readFile(path: string): string | undefined;
  /** Writes a file whole or not at all, its directory if missing; the name of the error, or undefined. */
  writeFile(path: string, text: string): string | undefined;
  /** Removes a file, if it is there and can be. */
  removeFile(path: string): void;
  /** The names in a directory; none if it cannot be read. */
  listDirectory(path: string): readonly string[];
  /** What a path leads to; undefined if there is nothing. */
  stat(path: string): FileIdentity | undefined;
  /** The index of an interface in a network namespace, 0 if it has none of that name; undefined if nobody can look. */
  linkIndex(netns: string, name: string): number | undefined;
  /** Writes a line to stderr, which the runtime keeps. Never throws. */
  writeStderr(text: string): void;
  /** Runs a jq program on a JSON text. A small host may have no jq. */
  jq?(program: string, input: string): JqAnswer;
  /** What `ip -json -batch` (iproute2) answers to these commands in a network namespace; undefined if it fails or is missing. */
  ip(netns: string, family: 4 | 6, commands: string): string | undefined;
  /** Appends a line to a file by one write; makes the file (0640) and its directory if missing. Never throws. */
  appendLine(file: string, line: string): void;
}

/** What a jq program gave, each value on a line of its own, or what jq said of it. */
export type JqAnswer = { readonly output: string } | { readonly problem: string };

/** What stands in the executable: the project's version and the commit it was built from. */
export interface Release {
  readonly version: string;
  readonly commit: string;
}

/** Which file a path leads to, and when it was last written. */
export interface FileIdentity {
  readonly device: number;
  readonly inode: number;
  readonly modifiedMs: number;
}

/** What became of a spawned executable. */
export type Answer =
  | { readonly ended: "exit"; readonly exitCode: number; readonly stdout: Bytes }
  | { readonly ended: "signal"; readonly signal: string }
  | { readonly ended: "too much output" }
  | { readonly ended: "not started"; readonly reason: string };
