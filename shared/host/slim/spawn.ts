import type { Answer, Host, Streams } from "../host.ts";
import type { IpCommand } from "../ip-command.ts";
import { HeldBytes } from "./bytes.ts";
import { alternating, wellFormed } from "./encoding.ts";
import type { Machine } from "./machine.ts";
import { errorName, signalName } from "./system-names.ts";

/** Runs an executable to its end, as `Host.spawn` says. */
export function spawn(machine: Machine, path: string, changes: Host["env"], { stdin, limit }: Streams): Answer {
  return answer(machine, path, machine.spawn(wellFormed(path), [], alternating(changes), stdin, limit, false));
}

/** Runs commands with ip(8). Returns its output; undefined if it is missing or fails. */
export function ipOutput(machine: Machine, command: IpCommand | undefined, commands: string): string | undefined {
  if (command === undefined) return undefined;
  const { program, args, limit } = command;
  const run = answer(machine, program, machine.spawn(program, args.map(wellFormed), [], commands, limit, true));
  return run.ended === "exit" && run.exitCode === 0 ? run.stdout.decodeUtf8() : undefined;
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
