import type { Answer, Bytes, Host } from "../host.ts";
import { type IpCommand, ipCommand } from "../ip-command.ts";
import type { Machine } from "./machine.ts";
import { errorName, signalName } from "./system-names.ts";

// The build defines these two.
declare const __VERSION__: string;
declare const __COMMIT__: string;

const inspected = ["missing", "not executable", "the wrapper itself", "executable"] as const;
/** The kernel's errors for a file that is not an executable, is for another machine, or names a missing interpreter. */
const notLoadable: readonly string[] = ["ENOEXEC", "ENOENT", "EACCES", "ELIBBAD"];

/** Returns the host of the slim flavor, which uses the executable around the engine. */
export function slimHost(machine: Machine): Host {
  const inspect: Host["inspect"] = (path) => inspected[machine.inspect(wellFormed(path))] ?? "missing";
  return {
    env: machine.variables,
    calledAs: machine.arguments[0] ?? "",
    get executable() {
      return machine.executable();
    },
    pid: machine.pid,
    release: { version: __VERSION__, commit: __COMMIT__ },
    now: machine.now,
    readStdin(limit) {
      const bytes = machine.readStdin(limit);
      return bytes === undefined ? undefined : bytesOf(machine, orThrow(bytes));
    },
    writeStdout: (text) => void orThrow(machine.writeText(text)),
    inspect,
    tryExec: (path, changes, stdin) => machine.exec(wellFormed(path), alternating(changes), stdin),
    spawn: (path, changes, stdin, limit) =>
      answer(machine, path, machine.spawn(wellFormed(path), [], alternating(changes), stdin, limit, false)),
    readFile: (path) => machine.readFile(wellFormed(path)),
    writeFile(path, text) {
      const result = machine.writeFile(wellFormed(path), text);
      return result < 0 ? errorName(-result) : undefined;
    },
    removeFile: (path) => machine.removeFile(wellFormed(path)),
    listDirectory: (path) => machine.listDirectory(wellFormed(path)),
    stat(path) {
      const found = machine.stat(wellFormed(path));
      return found && { device: found[0], inode: found[1], modifiedMs: found[2] };
    },
    linkIndex: (netns, name) => notNegative(machine.linkIndex(wellFormed(netns), wellFormed(name))),
    writeStderr: (text) => machine.writeStderr(text),
    ip: (netns, family, commands) =>
      ipOutput(machine, ipCommand({ env: machine.variables, inspect }, netns, family), commands),
    appendLine: (file, line) => void machine.appendLine(wellFormed(file), line),
  };
}

function orThrow(result: number): number {
  if (result < 0) throw new Error(errorName(-result));
  return result;
}

function notNegative(result: number): number | undefined {
  return result < 0 ? undefined : result;
}

function alternating(changes: Host["env"]): string[] {
  return Object.entries(changes).flatMap(([name, value = ""]) => [name, wellFormed(value)]);
}

/** Replaces half surrogate pairs, which UTF-8 cannot encode. QuickJS-ng has the method, which is newer than ES2022. */
function wellFormed(text: string): string {
  return (text as string & { toWellFormed(): string }).toWellFormed();
}

function ipOutput(machine: Machine, command: IpCommand | undefined, commands: string): string | undefined {
  if (command === undefined) return undefined;
  const { program, args, limit } = command;
  const run = answer(machine, program, machine.spawn(program, args.map(wellFormed), [], commands, limit, true));
  return run.ended === "exit" && run.exitCode === 0 ? run.stdout.decodeUtf8() : undefined;
}

/** Wraps bytes that stay outside the engine, by their index. */
function bytesOf(machine: Machine, bytes: number): Bytes {
  return { decodeUtf8: () => machine.decodeUtf8(bytes), print: () => void orThrow(machine.writeBytes(bytes)) };
}

function answer(machine: Machine, path: string, ended: readonly number[]): Answer {
  const [failure = 0, tooMuch, signal, exitCode = 0, stdout = 0] = ended;
  if (failure !== 0) return { ended: "not started", reason: startProblem(path, errorName(-failure)) };
  if (tooMuch) return { ended: "too much output" };
  if (signal) return { ended: "signal", signal: signalName(signal) };
  return { ended: "exit", exitCode, stdout: bytesOf(machine, stdout) };
}

function startProblem(path: string, error: string): string {
  return notLoadable.includes(error)
    ? `${path} is not an executable for this machine, or its interpreter is missing`
    : `${path}: ${error}`;
}
