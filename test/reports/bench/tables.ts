import { table } from "../../../build/docs/table.ts";
import { type Aim, aimsOf, isMet } from "./aims.ts";
import type { Footprint } from "./footprint.ts";
import {
  type AtOnceRow,
  type BaseRow,
  type OthersRow,
  type Report,
  type Restore,
  type Row,
  rowOf,
  timingOfPeer,
} from "./report.ts";

/** All results as tables. */
export function tablesOf(report: Report): string {
  const { calls, growth, atOnce, chains, restore, others, base } = report;
  return [
    machineOf(report),
    ...(calls
      ? [
          heading("One call ÷ the floor", calls.runs),
          ratios(calls.rows, "floor"),
          heading("CHECK chained", calls.runs),
          details(rowOf(calls.rows, "CHECK chained"), calls.footprints),
        ]
      : []),
    ...(growth
      ? [
          heading("CHECK with more interfaces ÷ with 2", growth.runs),
          growthTable(growth.interfaces),
          heading("CHECK with a larger configuration ÷ with 1 KB", growth.runs),
          growthTable(growth.configuration),
        ]
      : []),
    ...(atOnce ? ["**At once: time ÷ (calls × one's CPU time ÷ cores)**", loads(atOnce)] : []),
    ...(chains ? [heading("go-cni CHECK ÷ the bare plugins", chains.runs), ratios(chains.rows, "bare plugins")] : []),
    ...(restore ? [restores(restore)] : []),
    ...(others
      ? [heading("What other attachments of the host add to bridge and firewall", others.runs), more(others.rows)]
      : []),
    ...(base ? [heading("This build ÷ the other build", base.runs), againstBase(base.rows)] : []),
    ...(report.missing.length > 0 ? [`Missing here:\n\n${report.missing.map((each) => `- ${each}`).join("\n")}`] : []),
  ].join("\n\n");
}

function machineOf({ machine, loadBefore }: Report): string {
  const { cores, architecture, kernel, node, bash } = machine;
  const line = `${cores} cores, ${architecture}, Linux ${kernel}, Node ${node}, bash ${bash}; load before: ${loadBefore.toFixed(1)}.`;
  return `${line} Medians of interleaved runs.`;
}

function heading(title: string, runs: number): string {
  return `**${title}** (${runs} runs)`;
}

/** Each row's times as ratios to one peer's time, which is in milliseconds. Without that peer, all times are. */
function ratios(rows: readonly Row[], reference: string): string {
  const peers = peersIn(rows).filter((peer) => peer !== reference);
  return table(
    ["", `${reference}, ms`, ...peers],
    rows.map((row) => {
      const divisor = timingOfPeer(row, reference);
      const cells = peers.map((peer) => {
        const timing = timingOfPeer(row, peer);
        if (!timing) return "";
        return divisor ? figure(timing.wallMs.median / divisor.wallMs.median) : `${figure(timing.wallMs.median)} ms`;
      });
      return [row.title, divisor ? figure(divisor.wallMs.median) : "", ...cells];
    }),
  );
}

function details(row: Row | undefined, footprints: readonly Footprint[]): string {
  const columns = ["", "median ms", "p10–p90", "CPU ms", "memory MB", "system calls", "size MB"];
  const rows = (row?.timings ?? []).map(({ peer, wallMs, cpuMs }) => {
    const { peakMB, systemCalls, sizeMB } = footprints.find((each) => each.peer === peer) ?? {};
    const spread = `${figure(wallMs.p10)}–${figure(wallMs.p90)}`;
    const footprint = [figure(peakMB), systemCalls === undefined ? "" : String(systemCalls), figure(sizeMB)];
    return [peer, figure(wallMs.median), spread, figure(cpuMs.median), ...footprint];
  });
  return table(columns, rows);
}

/** Each peer's times as ratios to its own time in the first row. */
function growthTable(rows: readonly Row[]): string {
  const [first] = rows;
  const peers = peersIn(rows);
  return table(
    ["", ...peers],
    rows.map((row) => [
      row.title,
      ...peers.map((peer) => {
        const [timing, divisor] = [timingOfPeer(row, peer), timingOfPeer(first, peer)];
        if (!timing || !divisor) return "";
        return row === first
          ? `${figure(timing.wallMs.median)} ms`
          : figure(timing.wallMs.median / divisor.wallMs.median);
      }),
    ]),
  );
}

function loads(rows: readonly AtOnceRow[]): string {
  const cells = ({ title, load, timings }: AtOnceRow) => [
    title,
    ...timings.map(({ wallMs }, index) => `${figure(load[index])} (${figure(wallMs.median)} ms)`),
  ];
  return table(["", ...peersIn(rows)], rows.map(cells));
}

function restores({ allocations, runs, seconds }: Restore): string {
  const title = `**Nomad: seconds from a client's restart until ${allocations} allocations of two interfaces are checked** (${runs} restarts)`;
  return [
    title,
    table(
      ["", "median", "p10–p90"],
      seconds.map(({ peer, median, p10, p90 }) => [peer, figure(median), `${figure(p10)}–${figure(p90)}`]),
    ),
  ].join("\n\n");
}

function more(rows: readonly OthersRow[]): string {
  const columns = ["", "", "others", "plain, ms", "more, plain", "more, wrapped", "wrapped beyond plain"];
  const cells = ({ flavor, verb, others, plainMs, plain, wrapped }: OthersRow) => {
    return [
      flavor,
      verb,
      String(others),
      figure(plainMs),
      ...[plain, wrapped, wrapped - plain].map((one) => one.toFixed(2)),
    ];
  };
  return table(columns, rows.map(cells));
}

function againstBase(rows: readonly BaseRow[]): string {
  const columns = ["", "", "time", "CPU time", "more, ms"];
  const cells = ({ title, flavor, wallRatio, cpuRatio, moreWallMs }: BaseRow) => {
    return [title, flavor, wallRatio.toFixed(3), cpuRatio.toFixed(3), moreWallMs.toFixed(3)];
  };
  return table(columns, rows.map(cells));
}

/** What the figures should be, for developers. */
export function aimsTable(report: Report): string {
  return `**Aims**\n\n${aims(aimsOf(report))}`;
}

function aims(all: readonly Aim[]): string {
  const words = { true: "met", false: "missed", undefined: "not measured" };
  const columns = ["", "aim", "found", "of CPU time", ""];
  const rows = all.map((aim) => {
    const limit = aim.most === undefined ? `≥ ${aim.least}` : `≤ ${aim.most}`;
    return [aim.title, limit, figure(aim.found), figure(aim.ofCpu), words[`${isMet(aim)}`]];
  });
  return table(columns, rows);
}

function peersIn(rows: readonly Row[]): string[] {
  return [...new Set(rows.flatMap(({ timings }) => timings.map(({ peer }) => peer)))];
}

/** A figure with three digits; empty if there is none. */
export function figure(value: number | undefined): string {
  if (value === undefined || Number.isNaN(value)) return "";
  if (value >= 100) return value.toFixed(0);
  return value.toFixed(value >= 10 ? 1 : 2);
}
