import process from "node:process";
import { readFile } from "../../shared/host/node/files.ts";

/** Names a process for good: another process with its id starts at another time. */
export function ownMark(): string {
  return `${process.pid}-${startOf("self")}`;
}

/** Whether the process of a mark still runs. */
export function isAlive(mark: string): boolean {
  const [id = "", start] = mark.split("-");
  // guard: the files of an install that still runs
  return startOf(id) === start;
}

// proc_pid_stat(5): the 22nd field. The second one is a name in parentheses, which may have spaces.
function startOf(id: string): string | undefined {
  return readFile(`/proc/${id}/stat`)?.split(") ").pop()?.split(" ")[19];
}
