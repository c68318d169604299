import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import process from "node:process";
import { isExecutable } from "../../shared/host/node/inspect-file.ts";

/** How a program of the host ended. */
interface ProgramOutcome {
  readonly passed: boolean;
  readonly stdout: string;
  /** The last line that it wrote to stderr. */
  readonly problem: string;
}

/** Runs a program of the host to its end. */
export function runProgram(name: string, args: readonly string[], input = ""): ProgramOutcome {
  const { status, stdout, stderr, error } = spawnSync(name, args, { encoding: "utf8", input, maxBuffer: 2 ** 30 });
  const problem = error?.message ?? `${name}: ${stderr.trim().split("\n").at(-1) || `exit code ${status}`}`;
  return { passed: status === 0, stdout: stdout ?? "", problem };
}

/** Whether the host has a program of this name in these directories. `isReady` judges its file. */
export function hasProgram(name: string, path = process.env.PATH ?? "", isReady = isExecutable): boolean {
  return path.split(delimiter).some((directory) => isReady(join(directory, name)));
}

/** The same, also if it does not run: then it is missed. */
export function isInstalled(name: string): boolean {
  return hasProgram(name, undefined, existsSync);
}
