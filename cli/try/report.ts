import { delimiter } from "node:path";
import { plainTable } from "../plain-table.ts";
import { type Colors, counted, oneLine, styled } from "../terminal.ts";
import type { Step } from "./course.ts";
import type { StageOutcome } from "./inside.ts";

/** What `try` says of a list. */
export interface Report extends StageOutcome {
  readonly file: string;
  readonly network: string;
  /** The directories of the plugins. */
  readonly cniPath: readonly string[];
  /** How the stage differs from the host. */
  readonly notes: readonly string[];
  /** Why nothing was tried; empty if it was. */
  readonly obstacles: readonly string[];
  /** The plugins that libcni adds to the list, and that were not tried. */
  readonly added: readonly string[];
}

/** The report for people. */
export function tryText(report: Report, terminal: Colors): string {
  const { file, network, cniPath, obstacles, steps, notes, added } = report;
  if (obstacles.length > 0) return linesOf([`${file}: not tried`, ...obstacles.map((line) => `  ${line}`)]);
  const rows = steps.map((step) => [step.step, styled(terminal, colors[step.outcome], step.outcome), detailsOf(step)]);
  const title = `${file}: network ${network}, tried with the plugins in ${cniPath.join(delimiter)}`;
  const table = plainTable(["step", "outcome", ""], rows);
  const others = linesOf([
    // Without a DEL, nothing was looked at.
    ...(steps.length > 1 ? leftLines(report) : []),
    ...added.map((line) => `not looked at: ${line}`),
    ...notes.map((line) => `note: ${line}`),
  ]);
  return `${linesOf([title])}${table}\n${others}`;
}

const lookedAt = "links, addresses, routes, rules, packet rules, files";

function leftLines({ left, stays, problems }: Report): readonly string[] {
  const isKnown = left.length > 0 || problems.length === 0;
  const kept = Map.groupBy(stays, ({ kind }) => kind);
  const links = kept.get("link") ?? [];
  const others = [...kept]
    .filter(([kind]) => kind !== "link")
    .map(([kind, { length }]) => counted(length, kind, kind === "address" ? "addresses" : undefined));
  return [
    `left after DEL: ${isKnown ? left.length || "nothing" : "not known"} (compared: ${lookedAt})`,
    ...left.map((line) => `  ${line}`),
    ...problems.map((line) => `not looked at: ${line}`),
    ...(stays.length > 0 ? [`the plugins keep: ${[...links.map(({ where }) => where), ...others].join(", ")}`] : []),
  ];
}

function linesOf(lines: readonly string[]): string {
  return lines.map((line) => `${oneLine(line)}\n`).join("");
}

const colors = { passes: "green", fails: "red", unknown: "yellow", "not run": "dim" } as const;

function detailsOf({ interfaces = [], plugin, position, why }: Step): string {
  if (why === undefined) return interfaces.map(({ name, addresses }) => [name, ...addresses].join(" ")).join(", ");
  return plugin === undefined ? why : `${plugin} (plugin ${Number(position) + 1}): ${why}`;
}
