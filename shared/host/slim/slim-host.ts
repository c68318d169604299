import type { Environment } from "../../protocol/request.ts";
import type { Answer, Appending, Host, Release, Streams } from "../host.ts";
import { ipCommand, longestAnswer } from "../programs.ts";
import { alternating, errorName, HeldBytes, type Machine, orThrow, signalName, wellFormed } from "./machine.ts";

// The build defines these two.
declare const __VERSION__: string;
declare const __COMMIT__: string;

const inspected = ["missing", "not executable", "the wrapper itself", "executable"] as const;

const release: Release = { version: __VERSION__, commit: __COMMIT__, flavor: "slim" };

/**
 * The host of the slim flavor, which uses the executable around the engine. It is a class, because the heap image has a class's
 * functions, and each call would make those of an object anew.
 */
export class SlimHost implements Host {
  readonly env: Environment;
  readonly calledAs: string;
  readonly release = release;
  readonly #machine: Machine;

  constructor(machine: Machine, calledAs: string, env: Environment) {
    this.env = env;
    this.calledAs = calledAs;
    this.#machine = machine;
  }

  get executable() {
    return this.#machine.executable();
  }

  get pid() {
    return this.#machine.pid();
  }

  now() {
    return this.#machine.now();
  }

  sleep(ms: number) {
    this.#machine.sleep(ms);
  }

  readStdin(limit: number) {
    const bytes = this.#machine.readStdin(limit);
    return bytes === undefined ? undefined : new HeldBytes(this.#machine, orThrow(bytes));
  }

  writeStdout(text: string) {
    orThrow(this.#machine.writeText(text));
  }

  inspect(path: string) {
    return inspected[this.#machine.inspect(wellFormed(path))] ?? "missing";
  }

  tryExec(path: string, changes: Environment, stdin: string | undefined) {
    this.#machine.exec(wellFormed(path), alternating(changes), stdin);
  }

  spawn(path: string, changes: Environment, { stdin, limit }: Streams) {
    const ended = this.#machine.spawn(wellFormed(path), [], alternating(changes), stdin, limit, false);
    return answer(this.#machine, path, ended);
  }

  readFile(path: string) {
    return this.#machine.readFile(wellFormed(path));
  }

  appendJournal(file: string, text: string, { makesFile, isFlushed }: Appending) {
    return problemOf(this.#machine.appendJournal(wellFormed(file), text, makesFile, isFlushed));
  }

  removeFile(path: string) {
    this.#machine.removeFile(wellFormed(path));
  }

  removeDirectory(path: string) {
    this.#machine.removeDirectory(wellFormed(path));
  }

  listDirectory(path: string) {
    return this.#machine.listDirectory(wellFormed(path));
  }

  stat(path: string) {
    const found = this.#machine.stat(wellFormed(path));
    if (found === undefined) return undefined;
    const [device, inode, size, modifiedMs, changedMs, isUnnamed] = found;
    return { device, inode, size, modifiedMs, changedMs, ...(isUnnamed === 1 && { isUnnamed: true }) };
  }

  linkIndex(netns: string, name: string) {
    const index = this.#machine.linkIndex(wellFormed(netns), wellFormed(name));
    return index < 0 ? undefined : index;
  }

  writeStderr(text: string) {
    this.#machine.writeStderr(text);
  }

  ip(args: readonly string[], commands: string, netns?: string) {
    const own = { env: this.env, inspect: (path: string) => this.inspect(path) };
    const command = ipCommand(own, args, netns);
    if (command === undefined) return undefined;
    const words = command.args.map(wellFormed);
    const ended = this.#machine.spawn(command.program, words, [], commands, longestAnswer, true);
    const [, , , exitCode, stdout = 0] = ended;
    return exitCode === 0 ? this.#machine.decodeLossy(stdout) : undefined;
  }

  appendLine(file: string, line: string) {
    return problemOf(this.#machine.appendLine(wellFormed(file), line));
  }
}

function problemOf(result: number): string | undefined {
  return result < 0 ? errorName(-result) : undefined;
}

function answer(machine: Machine, path: string, ended: readonly number[]): Answer {
  const [failure = 0, tooMuch, signal, exitCode = 0, stdout = 0] = ended;
  if (failure !== 0) return { ended: "not started", reason: startProblem(path, errorName(-failure)) };
  if (tooMuch) return { ended: "too much output" };
  if (signal) return { ended: "signal", signal: signalName(signal) };
  return { ended: "exit", exitCode, stdout: new HeldBytes(machine, stdout) };
}

function startProblem(path: string, error: string): string {
  return notLoadable.includes(error)
    ? `${path} is not an executable for this machine, or its interpreter is missing`
    : `${path}: ${error}`;
}

/** The kernel's errors for a file that is not an executable, is for another machine, or names a missing interpreter. */
const notLoadable: readonly string[] = ["ENOEXEC", "ENOENT", "EACCES", "ELIBBAD"];
