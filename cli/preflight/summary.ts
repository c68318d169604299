import { resolve } from "node:path";
import { isJsonObject, type JsonObject, parseJsonObject } from "../../shared/protocol/json.ts";
import { type ExitCode, exitCodeOf } from "../exit-codes.ts";
import { longestReport, readInput } from "../files/read-input.ts";
import { withoutNames } from "../live/alike.ts";
import { plainTable } from "../plain-table.ts";
import { oneLine, type Style, styled, type Terminal } from "../terminal.ts";
import { Trouble } from "../trouble.ts";

/** The answers of many hosts for people: a line for each host, the reasons of the failing attachments, and further advice. */
export function summaryText(
  answers: readonly HostAnswer[],
  silent: readonly string[],
  terminal: Pick<Terminal, "hasColors">,
): string {
  const parts = [
    hostTable(answers, terminal),
    reasonTable(answers),
    advice(answers).join("\n"),
    silent.length > 0 ? `no answer: ${silent.map(oneLine).join(", ")}` : "",
    total(answers, silent),
  ];
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

/** The same as JSON. */
export function summaryJson(answers: readonly HostAnswer[], silent: readonly string[]): string {
  const hosts = answers.map((whole) => {
    const { failures: _, nomadSkipsCheck = null, ...answer } = whole;
    return { ...answer, nomadSkipsCheck, verdict: verdictOn(whole) };
  });
  return `${JSON.stringify({ hosts, silent, failures: groupsOf(answers) }, null, 2)}\n`;
}

type HostVerdict = "ready" | "adopt first" | "not ready";

function verdictOn({ fails, adoptable, leftOut, faults }: HostAnswer): HostVerdict {
  if (leftOut > 0 || faults.length > 0 || adoptable < fails) return "not ready";
  return fails === 0 ? "ready" : "adopt first";
}

const styles: Readonly<Record<HostVerdict, Style>> = { ready: "green", "adopt first": "yellow", "not ready": "red" };

/** The hosts that are not ready, the worst first. The others are only counted. */
function hostTable(answers: readonly HostAnswer[], terminal: Pick<Terminal, "hasColors">): string {
  const worst: readonly HostVerdict[] = ["not ready", "adopt first"];
  const bad = worst.flatMap((verdict) => answers.filter((answer) => verdictOn(answer) === verdict));
  const rows = bad.map((answer) => {
    const { host, attachments, passes, fails, unchecked, gone, adoptable } = answer;
    const verdict = verdictOn(answer);
    const counts = [attachments, passes, fails, unchecked, gone, adoptable].map(String);
    return [host, ...counts, styled(terminal, styles[verdict], verdict)];
  });
  const head = ["host", "attachments", "pass", "fail", "unchecked", "gone", "adoptable", "verdict"];
  return rows.length === 0 ? "" : plainTable(head, rows);
}

function reasonTable(answers: readonly HostAnswer[]): string {
  const rows = groupsOf(answers).map(({ network, attachments, hosts, adoptable, reason }) => {
    return [network, ...[attachments, hosts, adoptable].map(String), reason];
  });
  return rows.length === 0 ? "" : plainTable(["network", "fail", "hosts", "adoptable", "reason"], rows);
}

/** A line for each thing that is wrong, with the hosts that have it. */
function advice(answers: readonly HostAnswer[]): readonly string[] {
  const lines = answers.flatMap((answer) => adviceFor(answer).map((line) => ({ line, host: answer.host })));
  return [...Map.groupBy(lines, ({ line }) => line)].map(([line, hosts]) => {
    const [one, two, ...more] = hosts.map(({ host }) => host);
    const others = more.length > 0 ? ` and ${more.length} more` : "";
    return `${[one, two].filter(Boolean).join(", ")}${others}: ${line}`;
  });
}

function adviceFor({ leftOut, faults, nomadSkipsCheck, unsaved }: HostAnswer): readonly string[] {
  return [
    ...(leftOut > 0 ? [`lists, results and others that could not be looked at: ${leftOut}`] : []),
    ...faults,
    ...(nomadSkipsCheck === undefined ? [] : [`Nomad would skip CHECK: ${nomadSkipsCheck}`]),
    ...(unsaved > 0 ? [`containers that Nomad has perhaps not saved: ${unsaved}`] : []),
  ];
}

/** The exit code of a summary. */
export function summaryCode(answers: readonly HostAnswer[], silent: readonly string[]): ExitCode {
  const isComplete = silent.length === 0 && answers.every(({ leftOut }) => leftOut === 0);
  return exitCodeOf({ isGood: answers.every((answer) => verdictOn(answer) === "ready"), isComplete });
}

function total(answers: readonly HostAnswer[], silent: readonly string[]): string {
  const ready = answers.filter((answer) => verdictOn(answer) === "ready").length;
  return `${ready} of ${answers.length + silent.length} hosts are ready`;
}

/** Failing attachments of one network with the same reason. */
interface Group {
  readonly network: string;
  /** The reason, without what differs from container to container. */
  readonly reason: string;
  readonly attachments: number;
  readonly hosts: number;
  readonly adoptable: number;
}

/** Groups the failing attachments of all hosts by network and reason. The largest group comes first. */
function groupsOf(answers: readonly HostAnswer[]): readonly Group[] {
  const failures = answers.flatMap(({ failures }, host) => failures.map((failure) => ({ ...failure, host })));
  const groups = Map.groupBy(failures, ({ network, reason }) => JSON.stringify([network, withoutNames(reason)]));
  return [...groups]
    .map(([key, members]) => {
      const [network, reason]: [string, string] = JSON.parse(key);
      const hosts = new Set(members.map(({ host }) => host)).size;
      const adoptable = members.filter(({ isAdoptable }) => isAdoptable).length;
      return { network, reason, attachments: members.length, hosts, adoptable };
    })
    .sort((one, other) => other.attachments - one.attachments || compared(one.network, other.network));
}

function compared(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}

/** What preflight said on one host, for a table of many hosts. */
interface HostAnswer {
  readonly host: string;
  readonly attachments: number;
  readonly passes: number;
  readonly fails: number;
  readonly unchecked: number;
  readonly gone: number;
  /** The failing attachments that adopt can complete. */
  readonly adoptable: number;
  /** What preflight could not look at. */
  readonly leftOut: number;
  /** What is wrong beside failing attachments, a line each. */
  readonly faults: readonly string[];
  readonly nomadSkipsCheck: string | undefined;
  /** When it was made, as ISO 8601; empty if it does not say it. */
  readonly time: string;
  /** The containers that Nomad has perhaps not saved. */
  readonly unsaved: number;
  readonly failures: readonly Failure[];
}

/** One attachment whose CHECK would fail. */
interface Failure {
  readonly network: string;
  readonly reason: string;
  readonly isAdoptable: boolean;
}

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
    if (answers.length === 0) throw new Trouble(`${path}: it has no answer of preflight --json`);
    return answers.map((answer, index) => answerIn(answer, path, index + 1));
  });
}

function answerIn(text: string, path: string, number: number): HostAnswer {
  const whole = parseJsonObject(text) ?? {};
  const { host, attachments, leftOut, nomadSkipsCheck, unsaved, time } = whole;
  if (typeof host !== "string" || !Array.isArray(attachments) || !attachments.every(isForecast))
    throw new Trouble(`${path}: answer ${number} is not what preflight --json prints`);
  const count = (is: string) => attachments.filter(({ verdict }) => verdict.is === is).length;
  const failing = attachments.filter(({ verdict }) => verdict.is === "fails");
  return {
    host,
    attachments: attachments.length,
    passes: count("passes"),
    fails: failing.length,
    unchecked: count("unchecked"),
    gone: count("gone"),
    faults: faultsOf(whole, attachments),
    time: typeof time === "string" ? time : "",
    adoptable: failing.filter(({ adoptable }) => adoptable === true).length,
    leftOut: lengthOf(leftOut),
    nomadSkipsCheck: typeof nomadSkipsCheck === "string" ? nomadSkipsCheck : undefined,
    unsaved: lengthOf(unsaved),
    failures: failing.map(({ network, verdict: { plugin, error }, adoptable }) => ({
      network,
      reason: typeof plugin === "string" ? `${plugin}: ${error}` : String(error),
      isAdoptable: adoptable === true,
    })),
  };
}

function faultsOf({ agent, journalProblem }: JsonObject, attachments: readonly ForecastJson[]): readonly string[] {
  const outside = attachments.filter(({ verdict }) => lengthOf(verdict.outside) > 0).length;
  const dropped = attachments.filter(({ verdict }) => lengthOf(verdict.dropped) > 0).length;
  const notLoaded = isJsonObject(agent) && Array.isArray(agent.notLoaded) ? agent.notLoaded : [];
  return [
    ...(outside > 0 ? [`attachments with an address outside of the list's subnets: ${outside}`] : []),
    ...(dropped > 0 ? [`attachments whose plugin is in the list no more, so DEL leaves its rules: ${dropped}`] : []),
    ...notLoaded.map((name) => `the Nomad client has not loaded the network ${name}`),
    ...(typeof journalProblem === "string" ? [`the wrappers cannot write journals: ${journalProblem}`] : []),
  ];
}

/** Of several answers of a host the newest one. */
export function newestOfEach(answers: readonly HostAnswer[]): readonly HostAnswer[] {
  return [...Map.groupBy(answers, ({ host }) => host).values()].flatMap((own) => {
    return own.reduce((one, other) => (other.time >= one.time ? other : one));
  });
}

/** The hosts that should have answered and did not. `file` has a name in each line. */
export function silentHosts(
  answers: readonly HostAnswer[],
  file: string | undefined,
  { directory }: Pick<Terminal, "directory">,
): readonly string[] {
  if (file === undefined) return [];
  const names = readInput(file, resolve(directory, file), longestReport).toString().split(/\s+/).filter(Boolean);
  return names.filter((name) => !answers.some(({ host }) => host === name));
}

interface ForecastJson extends JsonObject {
  readonly network: string;
  readonly verdict: JsonObject;
}

function isForecast(value: unknown): value is ForecastJson {
  return isJsonObject(value) && typeof value.network === "string" && isJsonObject(value.verdict);
}

function lengthOf(value: unknown): number {
  return Array.isArray(value) ? value.length : 0;
}
