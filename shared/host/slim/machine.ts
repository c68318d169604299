/**
 * What the executable around the engine offers (build/slim/src/host.rs). Bytes from outside stay there: a number stands for
 * them. A failure is the negative number of the system's error.
 */
export interface Machine {
  readonly arguments: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
  readonly pid: number;
  executable(): string;
  now(): number;
  /** The bytes, nothing where there are more than `limit`, or a failure. */
  readStdin(limit: number): number | undefined;
  writeText(text: string): number;
  writeBytes(bytes: number): number;
  decodeUtf8(bytes: number): string | undefined;
  /** 0 nothing, 1 what cannot be executed, 2 this executable or a copy of it, 3 an executable. */
  inspect(path: string): number;
  /** Names and values of variables alternate. */
  exec(path: string, variables: readonly string[], stdin: string | undefined): void;
  /**
   * A failure or 0, 1 where there was too much output, the signal, the exit code, the bytes of stdout: as far as it goes. A quiet
   * one's stderr is dropped.
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
  writeFile(path: string, text: string): number;
  removeFile(path: string): void;
  listDirectory(path: string): readonly string[];
  /** Device, inode, milliseconds of the last change. */
  stat(path: string): readonly [number, number, number] | undefined;
  /** The index of an interface in a namespace, 0 if it has none of that name; a failure. */
  linkIndex(netns: string, name: string): number;
  writeStderr(text: string): void;
  appendLine(file: string, line: string): number;
}
