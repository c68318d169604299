import { plainTable } from "../../plain-table.ts";
import { type Style, styled, type Terminal } from "../../terminal.ts";
import { groupsOf } from "./groups.ts";
import type { HostAnswer } from "./read-answers.ts";

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
