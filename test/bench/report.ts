import { execFileSync } from "node:child_process";
import { availableParallelism, machine, release } from "node:os";
import type { Timing } from "./measure.ts";

/** The wrapper's median divided by a peer's: of the time that passes, and of the processors' time, which a busy host blurs less. */
export interface Ratio {
  readonly wall: number;
  readonly cpu: number;
}

/** The timings of one case; the wrapper's are the first. */
export interface CaseReport {
  readonly title: string;
  readonly timings: readonly (Timing & { readonly ratio: Ratio })[];
}

/** What a benchmark found, and on which kind of machine: only its ratios mean anything on another one. */
export interface Report {
  readonly machine: Readonly<Record<"cores" | "architecture" | "kernel" | "node" | "bash", string>>;
  readonly runs: number;
  readonly cases: readonly CaseReport[];
}

/** Names the kind of machine this is. */
export function describeMachine(): Report["machine"] {
  const bash = execFileSync("bash", ["-c", 'echo "$BASH_VERSION"'], { encoding: "utf8" }).trim();
  return {
    cores: String(availableParallelism()),
    architecture: machine(),
    kernel: release(),
    node: process.versions.node,
    bash,
  };
}

/** Puts a case's timings in relation to the wrapper's, which are the first. */
export function reportCase(title: string, timings: readonly [Timing, ...Timing[]]): CaseReport {
  const [wrapper] = timings;
  return { title, timings: timings.map((timing) => ({ ...timing, ratio: ratioOf(wrapper, timing) })) };
}

function ratioOf(wrapper: Timing, peer: Timing): Ratio {
  return {
    wall: wrapper.wallMs.median / peer.wallMs.median,
    cpu: wrapper.cpuMs.median / peer.cpuMs.median,
  };
}

const columns = ["case", "peer", "median ms", "p10–p90", "wrapper ÷ peer", "CPU ms", "wrapper ÷ peer", "peak MB"];

/** The report as a table for people. */
export function tableOf({ machine, runs, cases }: Report): string {
  const { cores, architecture, kernel, node, bash } = machine;
  const rows = cases.flatMap(rowsOf);
  const widths = columns.map((title, index) => Math.max(title.length, ...rows.map((row) => row[index]?.length ?? 0)));
  const lines = [columns, widths.map((width) => "-".repeat(width)), ...rows].map((row) => line(row, widths));
  return [
    `${cores} cores, ${architecture}, Linux ${kernel}, Node ${node}, bash ${bash}. Medians of ${runs} interleaved runs.`,
    "",
    ...lines,
    "",
    "empty SEA: starts the same Node and ends. floor: only executes the delegate. Both do none of the wrapper's work.",
  ].join("\n");
}

function rowsOf({ title, timings }: CaseReport): string[][] {
  return timings.map(({ peer, wallMs, cpuMs, peakMB, ratio }, index) => [
    index === 0 ? title : "",
    peer,
    wallMs.median.toFixed(2),
    `${wallMs.p10.toFixed(2)}–${wallMs.p90.toFixed(2)}`,
    ratio.wall.toFixed(2),
    cpuMs.median.toFixed(2),
    ratio.cpu.toFixed(2),
    peakMB.toFixed(1),
  ]);
}

function line(cells: readonly string[], widths: readonly number[]): string {
  const padded = cells.map((cell, index) =>
    index < 2 ? cell.padEnd(widths[index] ?? 0) : cell.padStart(widths[index] ?? 0),
  );
  return padded.join("  ").trimEnd();
}
