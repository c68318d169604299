import type { Bytes, Host } from "../host.ts";

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
  /** The same, with other characters in place of what is not UTF-8. */
  decodeLossy(bytes: number): string;
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
  listDirectory(path: string): readonly string[] | undefined;
  /** Device, inode, size, in milliseconds when content and inode last changed, and 1 for a link to a file without a name. */
  stat(path: string): readonly [number, number, number, number, number, number] | undefined;
  /** The index of an interface in a namespace, 0 if there is none of that name, or a failure. */
  linkIndex(netns: string, name: string): number;
  writeStderr(text: string): void;
  appendLine(file: string, line: string): number;
}

/** Bytes that stay outside the engine, by their index. */
export class HeldBytes implements Bytes {
  readonly #machine: Machine;
  readonly #index: number;

  constructor(machine: Machine, index: number) {
    this.#machine = machine;
    this.#index = index;
  }

  decodeUtf8() {
    return this.#machine.decodeUtf8(this.#index);
  }

  print() {
    orThrow(this.#machine.writeBytes(this.#index));
  }
}

/** Returns a machine's result. Throws the name of the error if it failed. */
export function orThrow(result: number): number {
  if (result < 0) throw new Error(errorName(-result));
  return result;
}

/** Returns environment variables as the machine takes them: names and values alternate. */
export function alternating(changes: Host["env"]): string[] {
  const list: string[] = [];
  for (const name in changes) list.push(name, wellFormed(changes[name] ?? ""));
  return list;
}

/** Replaces lone surrogates, which UTF-8 cannot encode. QuickJS-ng has the method, which is newer than ES2022. */
export function wellFormed(text: string): string {
  return (text as string & { toWellFormed(): string }).toWellFormed();
}

/** Returns the name of a system error, the same on x86_64 and aarch64. */
export function errorName(number: number): string {
  return (number < firstErrors.length ? firstErrors[number] : laterErrors[number]) ?? `error ${number}`;
}

/** Returns the name of a signal, as Node says it. */
export function signalName(number: number): string {
  return signals[number] ?? "a real-time signal";
}

const words = (text: string): readonly string[] => text.split(" ");

const firstErrors = words(
  "0 EPERM ENOENT ESRCH EINTR EIO ENXIO E2BIG ENOEXEC EBADF ECHILD EAGAIN ENOMEM EACCES EFAULT ENOTBLK EBUSY EEXIST EXDEV " +
    "ENODEV ENOTDIR EISDIR EINVAL ENFILE EMFILE ENOTTY ETXTBSY EFBIG ENOSPC ESPIPE EROFS EMLINK EPIPE EDOM ERANGE EDEADLK " +
    "ENAMETOOLONG ENOLCK ENOSYS ENOTEMPTY ELOOP",
);

const laterErrors: Readonly<Record<number, string>> = {
  80: "ELIBBAD",
  90: "EMSGSIZE",
  104: "ECONNRESET",
  116: "ESTALE",
  122: "EDQUOT",
};

const signals = words(
  "0 SIGHUP SIGINT SIGQUIT SIGILL SIGTRAP SIGABRT SIGBUS SIGFPE SIGKILL SIGUSR1 SIGSEGV SIGUSR2 SIGPIPE SIGALRM SIGTERM " +
    "SIGSTKFLT SIGCHLD SIGCONT SIGSTOP SIGTSTP SIGTTIN SIGTTOU SIGURG SIGXCPU SIGXFSZ SIGVTALRM SIGPROF SIGWINCH SIGIO " +
    "SIGPWR SIGSYS",
);
