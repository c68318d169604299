import { resolve } from "node:path";
import { isJsonObject, type JsonObject, objectOf, parseJsonObject } from "../../shared/protocol/json.ts";
import { longestReport, readInput } from "../files/read-input.ts";
import type { Verdict } from "../live/check.ts";
import { oneLine, type Terminal, Trouble } from "../terminal.ts";

/** What preflight said on one host, for a table of many hosts. */
export type HostAnswer = Readonly<ReturnType<typeof answerIn>>;

/**
 * Reads what `preflight --json` printed. A file has the answer of one host or those of many, one after the other: a line that
 * begins with `{` begins an answer. Throws Trouble if an answer is no such JSON.
 */
export function readAnswers(
  paths: readonly string[],
  { directory, readInput: readStdin }: Pick<Terminal, "directory" | "readInput">,
): readonly HostAnswer[] {
  return paths.flatMap((path) => {
    const text =
      path === "-" ? readStdin(longestReport) : readInput(path, resolve(directory, path), longestReport).toString();
    const answers = text.split(/^(?=\{)/m).filter((part) => part.trim() !== "");
    // guard: an empty file is no answer
    if (answers.length === 0) throw new Trouble(`${path}: it has no answer of preflight --json`);
    return answers.map((answer, index) => answerIn(answer, path, index + 1));
  });
}

function answerIn(text: string, path: string, number: number) {
  const whole = parseJsonObject(text) ?? {};
  const { host, attachments, leftOut, nomadSkipsCheck, unsaved, time, format = 1 } = whole;
  // guard: an answer whose keys have another meaning is not counted as a good one
  if (format !== 1) throw new Trouble(`${path}: answer ${number} is of another version of cni-wrappers; use that one`);
  // guard: what is no answer of preflight is not counted as a good one
  if (typeof host !== "string" || !Array.isArray(attachments) || !attachments.every(isForecast))
    throw new Trouble(`${path}: answer ${number} is not what preflight --json prints`);
  const count = (is: string) => attachments.filter(({ verdict }) => verdict.is === is).length;
  const asked = partsOf(whole);
  const failing = attachments.filter(({ verdict }) => verdict.is === "fails");
  return {
    host,
    attachments: attachments.length,
    passes: count("passes"),
    fails: failing.length,
    unchecked: count("unchecked"),
    gone: count("gone"),
    /** What is wrong besides failing attachments, a line each. */
    faults: [...asked, ...faultsOf(whole, attachments)],
    /** When it was made, as ISO 8601; empty if it does not say it. */
    time: typeof time === "string" ? time : "",
    /** The failing attachments that adopt can complete. */
    adoptable: failing.filter(({ adoptable }) => adoptable === true).length,
    /** What preflight could not look at. */
    // guard: a host of which preflight looked at a part is not called ready
    leftOut: lengthOf(leftOut) + asked.length,
    nomadSkipsCheck: typeof nomadSkipsCheck === "string" ? nomadSkipsCheck : undefined,
    /** The containers that Nomad has perhaps not saved. */
    unsaved: lengthOf(unsaved),
    failures: failing.map(({ network, verdict: { plugin, error }, adoptable }) => ({
      network,
      reason: typeof plugin === "string" ? `${plugin}: ${error}` : String(error),
      isAdoptable: adoptable === true,
    })),
  };
}

/** What preflight was asked about, a line for each option that selects a part of the host. */
function partsOf(whole: JsonObject): readonly string[] {
  return ["network", "container"].flatMap((name) => {
    const value = whole[name];
    return typeof value === "string" ? [oneLine(`preflight looked only at --${name} ${value}; run it without`)] : [];
  });
}

function faultsOf({ agent, journalProblem }: JsonObject, attachments: readonly ForecastJson[]): readonly string[] {
  const outside = attachments.filter(({ verdict }) => lengthOf(verdict.outside) > 0).length;
  const dropped = attachments.filter(({ verdict }) => lengthOf(verdict.dropped) > 0).length;
  const { notLoaded } = objectOf(agent);
  return [
    ...(outside > 0 ? [`attachments with an address outside of the list's subnets: ${outside}`] : []),
    ...(dropped > 0 ? [`attachments whose plugin is in the list no more, so DEL leaves its rules: ${dropped}`] : []),
    ...(Array.isArray(notLoaded) ? notLoaded : [])
      .filter((name) => typeof name === "string")
      .map((name) => `the Nomad client has not loaded the network ${name}`),
    ...(typeof journalProblem === "string" ? [`the wrappers cannot write journals: ${journalProblem}`] : []),
  ];
}

interface ForecastJson extends JsonObject {
  readonly network: string;
  readonly verdict: JsonObject;
}

const verdicts: readonly unknown[] = ["passes", "fails", "unchecked", "gone"] satisfies Verdict["is"][];

function isForecast(value: unknown): value is ForecastJson {
  if (!isJsonObject(value) || typeof value.network !== "string" || !isJsonObject(value.verdict)) return false;
  const { is, error } = value.verdict;
  return verdicts.includes(is) && (is !== "fails" || typeof error === "string");
}

function lengthOf(value: unknown): number {
  return Array.isArray(value) ? value.length : 0;
}

/** The hosts whose answers are missing, do not count, or were not expected. */
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
  /** A file with a name in each line. Without it, no host is missing or unexpected. */
  readonly expect?: string;
  /** As ISO 8601. */
  readonly since?: string;
}

/** In milliseconds. The answers of one run are minutes apart. */
const longestRun = 3_600_000;

/** Compares the answers with the hosts that are expected. Throws Trouble if their file names none, or cannot be read. */
export function callTheRoll(answers: readonly HostAnswer[], { expect, since }: Expected, directory: string): RollCall {
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
    doubled: [...byHost].filter(([, own]) => own.length > 1).map(([host]) => host),
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
