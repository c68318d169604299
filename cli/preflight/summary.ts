import { withoutNames } from "../live/alike.ts";
import { compared, plainTable } from "../plain-table.ts";
import { type Colors, type ExitCode, exitCodeOf, jsonText, oneLine, type Style, styled } from "../terminal.ts";
import { type HostAnswer, isFull, type RollCall, rollCallLines } from "./answers.ts";

/** The answers of many hosts for people: a line for each host, the reasons of the failing attachments, and further advice. */
export function summaryText(answers: readonly HostAnswer[], rollCall: RollCall, terminal: Colors): string {
  const parts = [
    hostTable(answers, terminal),
    reasonTable(answers),
    advice(answers).join("\n"),
    rollCallLines(rollCall).join("\n"),
    total(answers, rollCall),
  ];
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

/** The same as JSON. */
export function summaryJson(answers: readonly HostAnswer[], rollCall: RollCall): string {
  const hosts = answers.map((whole) => {
    const { failures: _, nomadSkipsCheck = null, ...answer } = whole;
    return { ...answer, nomadSkipsCheck, verdict: verdictOn(whole) };
  });
  return jsonText({ hosts, ...rollCall, failures: groupsOf(answers) });
}

type HostVerdict = "ready" | "adopt first" | "not ready";

function verdictOn({ fails, adoptable, leftOut, faults }: HostAnswer): HostVerdict {
  // guard: a host with a fault, or with a failing attachment that adopt cannot help, is not called ready
  if (leftOut > 0 || faults.length > 0 || adoptable < fails) return "not ready";
  // guard: a host with a failing attachment is not called ready
  return fails === 0 ? "ready" : "adopt first";
}

const styles: Readonly<Record<HostVerdict, Style>> = { ready: "green", "adopt first": "yellow", "not ready": "red" };

/** The hosts that are not ready, the worst first. The others are only counted. */
function hostTable(answers: readonly HostAnswer[], terminal: Colors): string {
  const worst: readonly HostVerdict[] = ["not ready", "adopt first"];
  const sorted = answers.toSorted((one, other) => compared(one.host, other.host));
  const bad = worst.flatMap((verdict) => sorted.filter((answer) => verdictOn(answer) === verdict));
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
    return oneLine(`${[one, two].filter(Boolean).join(", ")}${others}: ${line}`);
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
export function summaryCode(answers: readonly HostAnswer[], rollCall: RollCall): ExitCode {
  // guard: no fleet is called good that was not looked at as a whole
  const isComplete = isFull(rollCall) && answers.every(({ leftOut }) => leftOut === 0);
  return exitCodeOf({ isGood: answers.every((answer) => verdictOn(answer) === "ready"), isComplete });
}

function total(answers: readonly HostAnswer[], { missing, stale, doubled }: RollCall): string {
  // guard: a host with an old answer, or several, is not counted as ready
  const isKnown = ({ host }: HostAnswer) => !stale.includes(host) && !doubled.includes(host);
  const ready = answers.filter((answer) => verdictOn(answer) === "ready" && isKnown(answer)).length;
  return `${ready} of ${answers.length + missing.length} hosts are ready`;
}

/**
 * Groups the failing attachments of all hosts by network and reason, without what differs from container to container. The largest
 * group comes first.
 */
function groupsOf(answers: readonly HostAnswer[]) {
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
