import type { Environment } from "../../protocol/variables.ts";
import type { Appending, Host, Release, Streams } from "../host.ts";
import { ipCommand } from "../ip-command.ts";
import { HeldBytes, orThrow } from "./bytes.ts";
import { alternating, wellFormed } from "./encoding.ts";
import type { Machine } from "./machine.ts";
import { ipOutput, spawn } from "./spawn.ts";
import { errorName } from "./system-names.ts";

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

  spawn(path: string, changes: Environment, streams: Streams) {
    return spawn(this.#machine, path, changes, streams);
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
    const [device, inode, size, modifiedMs, changedMs] = found;
    return { device, inode, size, modifiedMs, changedMs };
  }

  linkIndex(netns: string, name: string) {
    return notNegative(this.#machine.linkIndex(wellFormed(netns), wellFormed(name)));
  }

  writeStderr(text: string) {
    this.#machine.writeStderr(text);
  }

  ip(args: readonly string[], commands: string, netns?: string) {
    const own = { env: this.env, inspect: (path: string) => this.inspect(path) };
    return ipOutput(this.#machine, ipCommand(own, args, netns), commands);
  }

  appendLine(file: string, line: string) {
    return problemOf(this.#machine.appendLine(wellFormed(file), line));
  }
}

function problemOf(result: number): string | undefined {
  return result < 0 ? errorName(-result) : undefined;
}

function notNegative(result: number): number | undefined {
  return result < 0 ? undefined : result;
}
