import { readFileSync } from "node:fs";
import { findProgram } from "../programs.ts";
import { canExec } from "./executable-file.ts";
import { attempt } from "./files.ts";
import { inspectFile } from "./inspect-file.ts";

const option = "--pdeathsig";

/**
 * Returns a command for an executable that the kernel kills when this process ends. setpriv (util-linux) arranges that and
 * then execs the executable, so it adds no process. If setpriv is missing or too old, or if execve may fail, the command is
 * the executable alone: otherwise setpriv's exit code would look like the executable's.
 */
export function commandEndingWithUs(executable: string): [string, ...string[]] {
  const setpriv = findProgram("setpriv", process.env.PATH, inspectFile);
  if (setpriv === undefined || !hasOption(setpriv) || !canExec(executable)) return [executable];
  return [setpriv, option, "KILL", "--", executable];
}

// setpriv of BusyBox, and of util-linux before 2.33, would fail because it lacks the option.
function hasOption(setpriv: string): boolean {
  return attempt(() => readFileSync(setpriv).includes(option.slice(2))) ?? false;
}
