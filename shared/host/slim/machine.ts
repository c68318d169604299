/**
 * The functions of the executable around the engine (build/slim/src/host.rs). Bytes stay outside the engine, which has only
 * their index. A failure is the negative number of the system's error.
 */
export interface Machine {
  executable(): string;
  pid(): number;
  now(): number;
  sleep(ms: number): void;
  /** Returns the index of the bytes, or a failure; undefined if there are more than `limit`. */
  readStdin(limit: number): number | undefined;
  writeText(text: string): number;
  writeBytes(bytes: number): number;
  decodeUtf8(bytes: number): string | undefined;
  /** 0 missing, 1 not executable, 2 this executable or a copy of it, 3 executable. */
  inspect(path: string): number;
  /** `variables` alternates names and values. */
  exec(path: string, variables: readonly string[], stdin: string | undefined): void;
  /**
   * Returns a list: a failure or 0; 1 for too much output; the signal; the exit code; the index of stdout's bytes. Later
   * entries may be missing. `isQuiet` drops stderr.
   */
  spawn(
    path: string,
    args: readonly string[],
    variables: readonly string[],
    stdin: string | undefined,
    limit: number,
    isQuiet: boolean,
  ): readonly number[];
  readFile(path: string): string | undefined;
  appendJournal(file: string, text: string, makesFile: boolean, isFlushed: boolean): number;
  removeFile(path: string): void;
  removeDirectory(path: string): void;
  listDirectory(path: string): readonly string[];
  /** Device, inode, size, in milliseconds when content and inode last changed, and 1 for a link to a file without a name. */
  stat(path: string): readonly [number, number, number, number, number, number] | undefined;
  /** The index of an interface in a namespace, 0 if there is none of that name, or a failure. */
  linkIndex(netns: string, name: string): number;
  writeStderr(text: string): void;
  appendLine(file: string, line: string): number;
}
