import { type WorkloadNames, workloadOf } from "../live/workload.ts";
import { plainTable } from "../plain-table.ts";
import { type Style, styled, type Terminal } from "../terminal.ts";
import type { Finding } from "./findings.ts";
import { kinds } from "./thing.ts";

/** What becomes of a thing. */
type Fate = "prunable" | "pruned" | "left";

/** A thing of a gone attachment, and what becomes of it. */
export interface Row {
  readonly finding: Finding;
  readonly fate: Fate;
  /** Why it stays. */
  readonly why: string | undefined;
}

const styles: Readonly<Record<Fate, Style>> = { prunable: "red", pruned: "green", left: "yellow" };

/** The things for people: a table, why some stay, and a line that sums up. */
export function pruneText(
  rows: readonly Row[],
  terminal: Pick<Terminal, "hasColors">,
  names: WorkloadNames = workloadOf,
): string {
  if (rows.length === 0) return "Nothing is left of an attachment whose namespace is gone.\n";
  const left = rows.flatMap(({ finding, why }) => (why === undefined ? [] : `left: ${finding.thing.where}: ${why}`));
  const parts = [tableOf(rows, terminal, names), ...(left.length > 0 ? [left.join("\n")] : []), summaryOf(rows)];
  return `${parts.join("\n\n")}\n`;
}

/** The same as JSON. */
export function pruneJson(rows: readonly Row[], names: WorkloadNames = workloadOf): string {
  const data = rows.map(({ finding: { thing, network, containerId, known }, fate, why }) => ({
    kind: thing.kind,
    where: thing.where,
    network,
    containerId,
    ...(known?.result && { workload: names(known.result) }),
    fate,
    why,
  }));
  return `${JSON.stringify(data, null, 2)}\n`;
}

function tableOf(rows: readonly Row[], terminal: Pick<Terminal, "hasColors">, names: WorkloadNames): string {
  const texts = [...rows].sort(byContainer).map(({ finding, fate }) => {
    const { thing, network = "", known } = finding;
    const attachment = known?.result;
    const container = attachment ? names(attachment).name : (finding.containerId ?? "").slice(0, 12);
    return [network, container, thing.kind, thing.where, styled(terminal, styles[fate], fate)];
  });
  return plainTable(["network", "container", "what", "where", "fate"], texts);
}

function byContainer({ finding: one }: Row, { finding: other }: Row): number {
  const [first, second] = [one, other].map(({ network = "", containerId = "" }) => `${network} ${containerId}`);
  if (first !== second) return (first ?? "") < (second ?? "") ? -1 : 1;
  return kinds.indexOf(one.thing.kind) - kinds.indexOf(other.thing.kind);
}

function summaryOf(rows: readonly Row[]): string {
  const count = (fate: Fate) => rows.filter((row) => row.fate === fate).length;
  const containers = new Set(rows.map(({ finding }) => finding.containerId)).size;
  const done = count("pruned") > 0 ? `${count("pruned")} pruned` : `${count("prunable")} can be pruned`;
  return `${done}, ${count("left")} left; of ${containers} container${containers === 1 ? "" : "s"}`;
}
