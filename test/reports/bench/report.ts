import { execFileSync } from "node:child_process";
import { availableParallelism, machine, release } from "node:os";
import type { Footprint } from "./footprint.ts";
import type { Timing } from "./measure.ts";
import type { Spread } from "./statistics.ts";

/** One thing that was timed with every peer. */
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
  /** For each timing, what it is of what the processors need for that many calls. */
  readonly load: readonly number[];
}

export interface Chains {
  readonly runs: number;
  readonly rows: readonly Row[];
}

export interface Restore {
  readonly allocations: number;
  readonly runs: number;
  readonly seconds: readonly (Spread & { readonly peer: string })[];
}

/** What a benchmark found, and on which kind of machine: only its ratios mean anything on another one. */
export interface Report {
  readonly machine: Readonly<Record<"cores" | "architecture" | "kernel" | "node" | "bash", string>>;
  /** How busy the machine was before: the processes that wanted a processor, on average of a minute. */
  readonly loadBefore: number;
  readonly calls?: Calls;
  readonly growth?: Growth;
  readonly atOnce?: readonly AtOnceRow[];
  readonly chains?: Chains;
  readonly restore?: Restore;
  readonly missing: readonly string[];
}

/** Names the kind of machine this is. */
export function describeMachine(): Report["machine"] {
  const bash = execFileSync("bash", ["-c", 'echo "$BASH_VERSION"'], { encoding: "utf8" }).trim();
  return {
    cores: String(availableParallelism()),
    architecture: machine(),
    // A machine's kind, not its build.
    kernel: release().split(".").slice(0, 2).join("."),
    node: process.versions.node,
    bash,
  };
}

/** The timing of a peer, if it was timed there. */
export function timingOfPeer(row: Row | undefined, peer: string | undefined): Timing | undefined {
  return row?.timings.find((timing) => timing.peer === peer);
}

/** The row of that title, if there is one. */
export function rowOf(rows: readonly Row[] | undefined, title: string): Row | undefined {
  return rows?.find((row) => row.title === title);
}
