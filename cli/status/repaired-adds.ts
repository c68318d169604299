import { createHash } from "node:crypto";
import { closeSync, createReadStream, fstatSync } from "node:fs";
import { repairs } from "../../shared/journal/recovery-table.ts";
import { parseJsonObject } from "../../shared/protocol/json.ts";
import { openInput } from "../files/read-input.ts";
import { reasonOf, Trouble } from "../terminal.ts";

// The configuration and the answer in a line have at most 8 MiB each. In UTF-16 units.
const longestLine = 32 * 1024 ** 2;
// A minute's work. A file without content can have any size.
const largestLog = 16 * 1024 ** 3;
// More than a host repairs before its log is rotated.
const mostCalls = 100_000;

/**
 * Counts the repaired ADDs in a log, where others may write: those that passed, and those that failed in spite of the repair. A log
 * that does not exist has no lines: a wrapper creates it with its first line.
 */
export async function repairedAdds(file: string, longest = longestLine) {
  const calls = new Map<string, boolean>();
  try {
    let rest = "";
    for await (const part of createReadStream("", { ...openLog(file), encoding: "utf8" })) {
      const [end = "", ...lines] = part.split("\n");
      rest = rest.length + end.length > longest ? "" : rest + end;
      for (const line of lines) {
        note(rest, calls);
        // guard: no lines that somebody made up fill the memory
        if (calls.size > mostCalls)
          throw new Trouble(`${file}: it has more than ${mostCalls.toLocaleString("en")} repaired ADDs; rotate it`);
        rest = line;
      }
    }
    note(rest, calls);
  } catch (error) {
    if (error instanceof Trouble) throw error;
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "ENOENT") throw new Trouble(`${file}: ${reasonOf(error as NodeJS.ErrnoException)}`);
  }
  const passed = [...calls.values()].filter(Boolean).length;
  return { file, passed, failed: calls.size - passed };
}

/** Opens a log, to be read as far as it goes now: another user may write to it faster than this process reads. */
function openLog(file: string): { readonly fd: number; readonly end: number } {
  const fd = openInput(file, file);
  const { size } = fstatSync(fd);
  // guard: no file makes status wait
  if (size <= largestLog) return { fd, end: size };
  closeSync(fd);
  throw new Trouble(`${file}: it has more than ${largestLog / 1024 ** 3} GiB; rotate it`);
}

const words: readonly unknown[] = Object.values(repairs);
// Most lines are about other calls. They are not worth parsing.
const mark = new RegExp([...words, '"level":"error"'].join("|"));

/** Notes whether a call that was repaired has passed: yes, unless a later line of it is an error. */
function note(text: string, calls: Map<string, boolean>): void {
  if (!mark.test(text)) return;
  const line = parseJsonObject(text);
  if (line === undefined) return;
  const { pid, containerId, ifName, network, message, level } = line;
  // A process number may come again, but not with the same container and interface while one of them is in the log.
  const its = JSON.stringify([pid, containerId, ifName, network]);
  const call = createHash("sha256").update(its).digest("hex");
  // The DEL with which a repair begins often fails.
  const isOfDel = String(message).startsWith("delegate failed DEL");
  if (words.includes(message)) calls.set(call, true);
  else if (level === "error" && calls.has(call) && !isOfDel) calls.set(call, false);
}
