import { createReadStream } from "node:fs";
import { repairs } from "../../shared/journal/recovery-table.ts";
import { type JsonObject, parseJsonObject } from "../../shared/protocol/json.ts";
import { openInput } from "../files/read-input.ts";
import { reasonOf, Trouble } from "../trouble.ts";

/** How many ADDs the wrappers repaired, by the lines of their log. */
export interface RepairedAdds {
  /** The log. */
  readonly file: string;
  readonly passed: number;
  /** ADDs that failed in spite of the repair. */
  readonly failed: number;
}

// The configuration and the answer in a line have at most 8 MiB each. In UTF-16 units.
const longestLine = 32 * 1024 ** 2;

/** Counts the repaired ADDs in a log, where others may write. A log that does not exist has no lines: a wrapper creates it with its first line. */
export async function repairedAdds(file: string, longest = longestLine): Promise<RepairedAdds> {
  const calls = new Map<string, boolean>();
  try {
    let rest = "";
    for await (const part of createReadStream("", { fd: openInput(file, file), encoding: "utf8" })) {
      const [end = "", ...lines] = part.split("\n");
      rest = rest.length + end.length > longest ? "" : rest + end;
      for (const line of lines) {
        note(rest, calls);
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

const words: readonly unknown[] = Object.values(repairs);
// Most lines are about other calls. They are not worth parsing.
const mark = new RegExp([...words, '"level":"error"'].join("|"));

/** Notes whether a call that was repaired has passed: yes, unless a later line of it is an error. */
function note(text: string, calls: Map<string, boolean>): void {
  if (!mark.test(text)) return;
  const line = parseJsonObject(text);
  if (line === undefined) return;
  const call = callOf(line);
  if (words.includes(line.message)) calls.set(call, true);
  else if (line.level === "error" && calls.has(call) && !isOfDel(line)) calls.set(call, false);
}

// A process number may come again, but not with the same container and interface while one of them is in the log.
function callOf({ pid, containerId, ifName, network }: JsonObject): string {
  return JSON.stringify([pid, containerId, ifName, network]);
}

/** Whether the line is about a DEL with which a repair begins. It often fails. */
function isOfDel({ message }: JsonObject): boolean {
  return String(message).startsWith("delegate failed DEL");
}
