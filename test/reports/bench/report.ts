import { execFileSync } from "node:child_process";
import { availableParallelism, machine, release } from "node:os";
import type { Footprint } from "./footprint.ts";
import type { Timing } from "./measure.ts";
import type { Spread } from "./statistics.ts";

/** One measurement with every peer. */
export interface Row {
  readonly title: string;
  readonly timings: readonly Timing[];
}

export interface Calls {
  readonly runs: number;
  readonly rows: readonly Row[];
  readonly footprints: readonly Footprint[];
}

export interface Growth {
  readonly runs: number;
  readonly interfaces: readonly Row[];
  readonly configuration: readonly Row[];
}

export interface AtOnceRow extends Row {
  readonly calls: number;
  /** For each timing: the elapsed time, divided by the processor time that this number of calls needs. */
  readonly load: readonly number[];
}

export interface Chains {
  readonly runs: number;
  readonly rows: readonly Row[];
}

/** The calls of this build's flavors, and of the same flavors in another build. */
export interface BaseRow {
  readonly title: string;
  readonly flavor: string;
  /** The median of the ratios to the other build in each round, of elapsed and of processor time. */
  readonly wallRatio: number;
  readonly cpuRatio: number;
  /** The difference of the medians. */
  readonly moreWallMs: number;
}

/** What many other attachments of a host add to a call, in units of a plain call on a host without them. */
export interface OthersRow {
  readonly flavor: string;
  readonly verb: string;
  readonly others: number;
  readonly plainMs: number;
  readonly plain: number;
  readonly wrapped: number;
}

export interface Restore {
  readonly allocations: number;
  readonly runs: number;
  readonly seconds: readonly (Spread & { readonly peer: string })[];
}

/** The results of a benchmark, and the kind of machine. On another machine only the ratios mean anything. */
export interface Report {
  readonly machine: Readonly<Record<"cores" | "architecture" | "kernel" | "node" | "bash", string>>;
  /** How busy the machine was before: the average number of runnable processes during one minute. */
  readonly loadBefore: number;
  readonly calls?: Calls;
  readonly growth?: Growth;
  readonly atOnce?: readonly AtOnceRow[];
  readonly chains?: Chains;
  readonly restore?: Restore;
  readonly others?: { readonly runs: number; readonly rows: readonly OthersRow[] };
  readonly base?: { readonly runs: number; readonly rows: readonly BaseRow[] };
  readonly missing: readonly string[];
}

/** Describes the kind of machine. */
export function describeMachine(): Report["machine"] {
  const bash = execFileSync("bash", ["-c", 'echo "$BASH_VERSION"'], { encoding: "utf8" }).trim();
  return {
    cores: String(availableParallelism()),
    architecture: machine(),
    // The kind of machine, without the kernel's build.
    kernel: release().split(".").slice(0, 2).join("."),
    node: process.versions.node,
    bash,
  };
}

/** The timing of a peer, if it was timed in this row. */
export function timingOfPeer(row: Row | undefined, peer: string | undefined): Timing | undefined {
  return row?.timings.find((timing) => timing.peer === peer);
}

/** The row of that title, if there is one. */
export function rowOf(rows: readonly Row[] | undefined, title: string): Row | undefined {
  return rows?.find((row) => row.title === title);
}
