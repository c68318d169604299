import { resolve } from "node:path";
import { longestReport, readInput } from "../files/read-input.ts";
import { oneLine, type Terminal } from "../terminal.ts";
import { Trouble } from "../trouble.ts";
import type { HostAnswer } from "./answers.ts";

/** The hosts whose answers say nothing, or less than they seem to. */
export interface RollCall {
  /** They are expected, and did not answer. */
  readonly missing: readonly string[];
  /** Their newest answer is too old. */
  readonly stale: readonly string[];
  /** They have several answers: one name may stand for two hosts. */
  readonly doubled: readonly string[];
  /** They answered, and nobody expects them. */
  readonly unexpected: readonly string[];
}

/** The hosts that must have answered, and since when. */
export interface Expected {
  /** A file with a name in each line. Without it, everybody who answers is welcome. */
  readonly expect?: string;
  /** As ISO 8601. */
  readonly since?: string;
}

/** In milliseconds. The answers of one run are minutes apart. */
const longestRun = 3_600_000;

/** Compares the answers with the hosts that are expected. Throws Trouble if their file names none, or cannot be read. */
export function callTheRoll(
  answers: readonly HostAnswer[],
  { expect, since }: Expected,
  { directory }: Pick<Terminal, "directory">,
): RollCall {
  if (expect === undefined) return { missing: [], stale: [], doubled: [], unexpected: [] };
  const expected = namesIn(expect, directory);
  const byHost = Map.groupBy(answers, ({ host }) => host);
  const hosts = [...byHost.keys()];
  const newest = newestOfEach(answers);
  const oldest =
    since === undefined ? Math.max(...newest.map(timeOf).filter(Number.isFinite)) - longestRun : Date.parse(since);
  return {
    // guard: a host without an answer is not called ready
    missing: expected.filter((name) => !byHost.has(name)),
    // Without a time, nobody knows how old it is.
    // guard: a host with an old answer is not called ready
    stale: newest.filter((answer) => !(timeOf(answer) >= oldest)).map(({ host }) => host),
    // guard: two hosts with one name are not called one ready host
    doubled: hosts.filter((host) => (byHost.get(host) ?? []).length > 1),
    unexpected: hosts.filter((host) => !expected.includes(host)),
  };
}

/** Of several answers of a host the newest one. */
export function newestOfEach(answers: readonly HostAnswer[]): readonly HostAnswer[] {
  return [...Map.groupBy(answers, ({ host }) => host).values()].flatMap((own) => {
    return own.reduce((one, other) => (other.time >= one.time ? other : one));
  });
}

/** Whether every expected host has one new answer. */
export function isFull({ missing, stale, doubled }: RollCall): boolean {
  // guard: no fleet is called ready without a new answer of each host
  return missing.length + stale.length + doubled.length === 0;
}

/** A line for each kind of hosts, for people. */
export function rollCallLines({ missing, stale, doubled, unexpected }: RollCall): readonly string[] {
  const kinds = [
    ["no answer", missing],
    ["an old answer", stale],
    ["several answers, perhaps of several hosts with this name", doubled],
    ["an answer that is not expected", unexpected],
  ] as const;
  return kinds.flatMap(([words, hosts]) => (hosts.length > 0 ? [`${words}: ${hosts.map(oneLine).join(", ")}`] : []));
}

function namesIn(file: string, directory: string): readonly string[] {
  const lines = readInput(file, resolve(directory, file), longestReport).toString().split("\n");
  const names = lines.map((line) => line.replace(/#.*/, "").trim()).filter((name) => name !== "");
  // guard: a list of hosts that names none
  if (names.length === 0) throw new Trouble(`${oneLine(file)}: it names no host`);
  return [...new Set(names)];
}

function timeOf({ time }: HostAnswer): number {
  return Date.parse(time);
}
