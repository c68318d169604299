import { resolve } from "node:path";
import { isJsonObject, type JsonObject, parseJsonObject } from "../../shared/protocol/json.ts";
import { longestReport, readInput } from "../files/read-input.ts";
import { plainTable } from "../plain-table.ts";
import { type Style, styled, type Terminal } from "../terminal.ts";
import { Trouble } from "../trouble.ts";

/** The answers of many hosts for people: a line for each host, the reasons of the failing attachments, and further advice. */
export function summaryText(answers: readonly HostAnswer[], terminal: Pick<Terminal, "hasColors">): string {
  const parts = [
    hostTable(answers, terminal),
    reasonTable(answers),
    answers.flatMap(adviceFor).join("\n"),
    total(answers),
  ];
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

/** The same as JSON. */
export function summaryJson(answers: readonly HostAnswer[]): string {
  const hosts = answers.map(({ failures: _, nomadSkipsCheck = null, ...answer }) => {
    return { ...answer, nomadSkipsCheck, verdict: verdictOn(answer) };
  });
  return `${JSON.stringify({ hosts, failures: groupsOf(answers) }, null, 2)}\n`;
}

type HostVerdict = "ready" | "adopt first" | "not ready";

function verdictOn({ fails, adoptable, leftOut }: Pick<HostAnswer, "fails" | "adoptable" | "leftOut">): HostVerdict {
  if (leftOut > 0 || adoptable < fails) return "not ready";
  return fails === 0 ? "ready" : "adopt first";
}

const styles: Readonly<Record<HostVerdict, Style>> = { ready: "green", "adopt first": "yellow", "not ready": "red" };

function hostTable(answers: readonly HostAnswer[], terminal: Pick<Terminal, "hasColors">): string {
  const rows = answers.map((answer) => {
    const { host, attachments, passes, fails, adoptable } = answer;
    const verdict = verdictOn(answer);
    return [host, ...[attachments, passes, fails, adoptable].map(String), styled(terminal, styles[verdict], verdict)];
  });
  return plainTable(["host", "attachments", "pass", "fail", "adoptable", "verdict"], rows);
}

function reasonTable(answers: readonly HostAnswer[]): string {
  const rows = groupsOf(answers).map(({ network, attachments, hosts, adoptable, reason }) => {
    return [network, ...[attachments, hosts, adoptable].map(String), reason];
  });
  return rows.length === 0 ? "" : plainTable(["network", "fail", "hosts", "adoptable", "reason"], rows);
}

function adviceFor({ host, leftOut, nomadSkipsCheck, unsaved }: HostAnswer): readonly string[] {
  return [
    ...(leftOut > 0 ? [`${host}: results that cannot be read: ${leftOut}`] : []),
    ...(nomadSkipsCheck === undefined ? [] : [`${host}: Nomad would skip CHECK: ${nomadSkipsCheck}`]),
    ...(unsaved > 0 ? [`${host}: containers that Nomad has perhaps not saved: ${unsaved}`] : []),
  ];
}

function total(answers: readonly HostAnswer[]): string {
  const ready = answers.filter((answer) => verdictOn(answer) === "ready").length;
  return `${ready} of ${answers.length} hosts are ready`;
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

/** Replaces what belongs to one container: its id, MACs, addresses and the host's name of its veth. */
export function withoutNames(reason: string): string {
  return reason
    .replace(/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|\b[0-9a-f]{64}\b/g, "<id>")
    .replace(/\b[0-9a-f]{2}(:[0-9a-f]{2}){5}\b/g, "<MAC>")
    .replace(/\b\d{1,3}(\.\d{1,3}){3}(\/\d+)?\b/g, "<address>")
    .replace(/(?<![\w:])(?:[0-9a-f]{0,4}:){2,7}[0-9a-f]{0,4}(\/\d+)?/gi, "<address>")
    .replace(/\bveth[0-9a-f]+\b/g, "<veth>");
}

/** What preflight said on one host, for a table of many hosts. */
interface HostAnswer {
  readonly host: string;
  readonly attachments: number;
  readonly passes: number;
  readonly fails: number;
  /** The failing attachments that adopt can complete. */
  readonly adoptable: number;
  /** The results that preflight could not read. */
  readonly leftOut: number;
  readonly nomadSkipsCheck: string | undefined;
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
  const { host, attachments, leftOut, nomadSkipsCheck, unsaved } = parseJsonObject(text) ?? {};
  if (typeof host !== "string" || !Array.isArray(attachments) || !attachments.every(isForecast))
    throw new Trouble(`${path}: answer ${number} is not what preflight --json prints`);
  const failing = attachments.filter(({ verdict }) => verdict.is === "fails");
  return {
    host,
    attachments: attachments.length,
    passes: attachments.filter(({ verdict }) => verdict.is === "passes").length,
    fails: failing.length,
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
