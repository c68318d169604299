import type { Environment } from "../protocol/request.ts";

/** Bytes that a host keeps, from stdin or from a delegate's stdout. */
export interface Bytes {
  /** The text; undefined if the bytes are not valid UTF-8. */
  decodeUtf8(): string | undefined;
  /** Writes all of them to stdout. Throws if that fails. */
  print(): void;
}

/** Everything that a wrapper needs from the machine. The core uses nothing else. */
export interface Host {
  readonly env: Environment;
  /** The name that started the executable (argv 0). */
  readonly calledAs: string;
  /** The executable's real path. */
  readonly executable: string;
  readonly pid: number;
  readonly release: Release;
  /** Milliseconds since 1970. */
  now(): number;
  /** Waits for some milliseconds. */
  sleep(ms: number): void;
  /** Reads all of stdin; undefined if it has more than `limit` bytes. Throws the name of the error if it cannot be read. */
  readStdin(limit: number): Bytes | undefined;
  /** Writes all of a text to stdout. Throws if that fails. */
  writeStdout(text: string): void;
  /** Tells whether a path can be executed. A copy of this executable counts as the wrapper itself. */
  inspect(path: string): "executable" | "not executable" | "missing" | "the wrapper itself";
  /**
   * Replaces this process with an executable. It keeps this process's variables except for `changes`. Its stdin is `stdin`,
   * or this process's if that is undefined. Returns only if exec is impossible: the caller then spawns.
   */
  tryExec(path: string, changes: Environment, stdin: string | undefined): void;
  /**
   * Runs an executable to its end. Variables and stdin are as in `tryExec`. Its stderr is this process's. If this process ends
   * first, the kernel kills it.
   */
  spawn(path: string, changes: Environment, streams: Streams): Answer;
  /** Reads a small text file; undefined if it cannot be read. */
  readFile(path: string): string | undefined;
  /** Appends a text to a journal with one write. Returns the name of the error, or undefined. */
  appendJournal(file: string, text: string, how: Appending): string | undefined;
  /** Removes a file if possible. Never throws. */
  removeFile(path: string): void;
  /** Removes a directory if it is empty. Never throws. */
  removeDirectory(path: string): void;
  /** Lists the names in a directory, none if there is none; undefined if it cannot be read. */
  listDirectory(path: string): readonly string[] | undefined;
  /** Identifies the file at a path; undefined if there is none. */
  stat(path: string): FileIdentity | undefined;
  /** Returns the index of an interface in a network namespace, 0 if there is none; undefined if it cannot be read. */
  linkIndex(netns: string, name: string): number | undefined;
  /** Writes a line to stderr, which the runtime keeps. Never throws. */
  writeStderr(text: string): void;
  /** Runs a jq program on a JSON text. A small host may have no jq. */
  jq?(program: string, input: string): JqAnswer;
  /**
   * Runs ip(8) of iproute2, in a network namespace if one is given. `commands` is its stdin. Returns its output; undefined if
   * it fails or is missing.
   */
  ip(args: readonly string[], commands: string, netns?: string): string | undefined;
  /**
   * Appends a line to a file in one write. Makes the file (0640) and its directory if missing. Follows no link in a directory
   * in which another user could have made it. A pipe gets only lines that cannot be torn. This process's stdin and stdout get
   * none. Returns the name of the error, or undefined.
   */
  appendLine(file: string, line: string): string | undefined;
}

/** The output of a jq program, each value on its own line, or jq's error. */
export type JqAnswer = { readonly output: string } | { readonly problem: string };

/** The project's version, the commit that the executable was built from, and its flavor: `slim` or `node`. */
export interface Release {
  readonly version: string;
  readonly commit: string;
  readonly flavor: string;
}

/** The identity of a file, its size, and when its content and its inode last changed. */
export interface FileIdentity {
  readonly device: number;
  readonly inode: number;
  readonly size: number;
  readonly modifiedMs: number;
  readonly changedMs: number;
  /** The path is a link to a file without a name, such as the namespace of a process. */
  readonly isUnnamed?: boolean;
}

/** How a text is appended to a journal. */
export interface Appending {
  /** Makes the file (0600) and its directory (0700) if missing. Otherwise a missing file is an error. */
  readonly makesFile: boolean;
  /** The text and the name of the file survive a power loss. */
  readonly isFlushed: boolean;
}

/** The stdin of an executable, and how many bytes of its stdout are read. */
export interface Streams {
  readonly stdin: string | undefined;
  readonly limit: number;
}

/** How a spawned executable ended. */
export type Answer =
  | { readonly ended: "exit"; readonly exitCode: number; readonly stdout: Bytes }
  | { readonly ended: "signal"; readonly signal: string }
  | { readonly ended: "too much output" }
  | { readonly ended: "not started"; readonly reason: string };
