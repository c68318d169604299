import type { LogLine } from "./agent.ts";
import { isFailedAdd, isFailedCheck, isPassedCheck } from "./log.ts";

/** What a client did with an allocation's network when it restarted. */
export type Outcome =
  /** CHECK passed. */
  | { readonly is: "passes" }
  /** CHECK failed. */
  | { readonly is: "fails"; readonly error: string }
  /** The client did not run CHECK: it made the network again. */
  | { readonly is: "made again" };

/** Reads a line of the client's log; undefined if it tells nothing about an allocation's network. */
export function outcomeIn(line: LogLine): Outcome | undefined {
  if (isPassedCheck(line)) return { is: "passes" };
  if (isFailedCheck(line) || isWithoutList(line)) return { is: "fails", error: reasonIn(line) };
  if (isFailedAdd(line) || line["@message"] === "received result from CNI") return { is: "made again" };
  return undefined;
}

/** What the client did first with each allocation's network, by allocation. A failed CHECK is followed by ADDs. */
export function outcomesIn(lines: readonly LogLine[]): ReadonlyMap<string, Outcome> {
  const entries = lines.flatMap((line) => {
    const outcome = outcomeIn(line);
    return outcome && line.alloc_id !== undefined ? [[line.alloc_id, outcome] as const] : [];
  });
  return new Map(entries.reverse());
}

/** The list is gone. The client does not even come to CHECK. */
function isWithoutList(line: LogLine): boolean {
  return line["@message"] === "error running alloc" && line.error?.includes(noList) === true;
}

const noList = "CNI network config not found for name";

function reasonIn({ error = "" }: LogLine): string {
  const [, network] = new RegExp(`${noList} "(.*)"$`).exec(error) ?? [];
  if (network !== undefined) return `no list in the directories defines the network ${network}`;
  return error.replace(/^.*network namespace already exists but was misconfigured: /, "").trim();
}
