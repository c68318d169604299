import { alike, mostShown } from "../live/alike.ts";
import type { WorkloadNames } from "../live/workload.ts";
import { compared, plainTable } from "../plain-table.ts";
import { type Colors, counted, jsonText, oneLine, type Style, styled } from "../terminal.ts";
import type { Finding } from "./findings.ts";
import { kinds } from "./known.ts";

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

/** The things for people: a table, why some stay, `where` prune looked, and a line that sums up. */
export function pruneText(
  rows: readonly Row[],
  terminal: Colors,
  { names, where, isAll }: { readonly names: WorkloadNames; readonly where: string; readonly isAll: boolean },
): string {
  const nothing = isAll ? "Nothing" : "Of what could be looked at, nothing";
  if (rows.length === 0) return `${where}\n\n${nothing} is left of an attachment whose namespace is gone.\n`;
  const groups = groupsOf(rows);
  const many = groups.filter(isMany).map((containers) => {
    const all = containers.map((own) => nameOf(own, names));
    return `${all.length} containers of ${containers[0][0].finding.network}: ${all.join(", ")}`;
  });
  const parts = [tableOf(groups, terminal, names), many.join("\n"), whyLeft(rows).join("\n"), where, summaryOf(rows)];
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

/** The same as JSON. */
export function pruneJson(rows: readonly Row[], names: WorkloadNames): string {
  const data = rows.map(({ finding: { thing, network, containerId, known }, fate, why }) => {
    const workload = known?.result && names(known.result);
    return { kind: thing.kind, where: thing.where, network, containerId, workload, fate, why };
  });
  return jsonText(data);
}

/** The rows of one container, at least one. */
type Container = readonly [Row, ...Row[]];

/** Groups the containers of which the same things are left, with the same fates. */
function groupsOf(rows: readonly Row[]): readonly (readonly [Container, ...Container[]])[] {
  const sorted = rows.toSorted((one, other) => compared(placeOf(one), placeOf(other)));
  const own = Map.groupBy(sorted, ({ finding: { network, containerId } }) => JSON.stringify([network, containerId]));
  return alike([...own.values()] as unknown as Container[], (container) => [
    container[0].finding.network,
    container.map(({ finding, fate }) => [finding.thing.kind, fate]),
  ]);
}

function isMany(containers: readonly Container[]): boolean {
  return containers.length > mostShown;
}

/** A line for each thing. Of many containers with the same, a line for each kind. */
function tableOf(groups: ReturnType<typeof groupsOf>, terminal: Colors, names: WorkloadNames): string {
  const texts = groups.flatMap((containers) => {
    if (!isMany(containers)) return containers.flatMap((own) => own.map((row) => lineOf(row, nameOf(own, names))));
    const kindsOf = Map.groupBy(containers.flat(), ({ finding, fate }) => `${finding.thing.kind} ${fate}`);
    return [...kindsOf.values()].flatMap(([first, ...others]) => {
      return first ? [lineOf(first, `${containers.length} containers`, `${others.length + 1} of them`)] : [];
    });
  });
  const texted = texts.map(([fate, ...cells]) => [...cells, styled(terminal, styles[fate], fate)]);
  return plainTable(["network", "container", "what", "where", "fate"], texted);
}

function lineOf({ finding: { thing, network = "" }, fate }: Row, container: string, where = thing.where) {
  return [fate, network, container, thing.kind, where] as const;
}

function nameOf([{ finding }]: Container, names: WorkloadNames): string {
  const attachment = finding.known?.result;
  return attachment ? names(attachment).name : (finding.containerId?.slice(0, 12) ?? "");
}

function whyLeft(rows: readonly Row[]): readonly string[] {
  const left = rows.flatMap(({ finding, why }) => (why === undefined ? [] : [{ where: finding.thing.where, why }]));
  const lines = alike(left, ({ why }) => [why]).flatMap((group) => [
    ...group.slice(0, mostShown).map(({ where, why }) => `left: ${where}: ${why}`),
    ...(group.length > mostShown ? [`and ${group.length - mostShown} more: ${group[0].why}`] : []),
  ]);
  return lines.map(oneLine);
}

function placeOf({ finding: { network = "", containerId = "", thing } }: Row): string {
  return `${network} ${containerId} ${kinds.indexOf(thing.kind)}`;
}

function summaryOf(rows: readonly Row[]): string {
  const count = (fate: Fate) => rows.filter((row) => row.fate === fate).length;
  const containers = new Set(rows.map(({ finding }) => finding.containerId)).size;
  const done = count("pruned") > 0 ? `${count("pruned")} pruned` : `${count("prunable")} can be pruned`;
  return `${done}, ${count("left")} left; of ${counted(containers, "container")}`;
}
