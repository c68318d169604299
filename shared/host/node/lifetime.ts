import { readFileSync } from "node:fs";
import { findProgram } from "../programs.ts";
import { canExec } from "./executable-file.ts";
import { inspectFile } from "./inspect-file.ts";

const option = "--pdeathsig";

/**
 * The command that runs an executable which the kernel kills when this process ends, however it ends: by setpriv (util-linux), which
 * execve's it and is no process of its own. The executable alone where there is no such setpriv, or where execve may fail: then
 * setpriv's exit code would be taken for the executable's.
 */
export function endingWithUs(executable: string): [string, ...string[]] {
  const setpriv = findProgram("setpriv", process.env.PATH, inspectFile);
  if (setpriv === undefined || !hasOption(setpriv) || !canExec(executable)) return [executable];
  return [setpriv, option, "KILL", "--", executable];
}

// BusyBox and util-linux before 2.33 have a setpriv without it, which would end in an error.
function hasOption(setpriv: string): boolean {
  try {
    return readFileSync(setpriv).includes(option.slice(2));
  } catch {
    return false;
  }
}
