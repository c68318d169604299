import { writeFileSync } from "node:fs";
import path from "node:path";
import { execa } from "execa";
import { inPrivateMounts, recordDirectory, type Stage } from "./peers.ts";
import { type Spread, spreadOf } from "./statistics.ts";

/** A timed command. */
export interface Command {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** The file on its stdin. */
  readonly stdin: string;
  /** The directory that is `/var/lib/cni/wrappers` before each run. */
  readonly records?: string;
  /** The number of processes that start together and are timed together. */
  readonly atOnce?: number;
}

/** The elapsed time of one run, and the processor time (user and system) of all its processes. */
export interface Run {
  readonly wallMs: number;
  readonly cpuMs: number;
}

/** The runs of one peer. */
export interface Timing {
  readonly peer: string;
  readonly wallMs: Spread;
  readonly cpuMs: Spread;
}

/** Starts the stopwatch and returns its lines. */
export type Clock = (plan: string) => AsyncIterable<string>;

// The first rounds fill the page cache and bring the clocks up to speed.
const warmUp = 3;

/** Times commands round by round. Returns the runs of each. */
export async function measure(clock: Clock, commands: readonly Command[], runs: number): Promise<Run[][]> {
  const plan = { rounds: warmUp + runs, commands: commands.map(planned) };
  return await rounds(clock, plan);
}

/** The same in the stage. Each run starts from the same state. */
export async function measureOnStage(stage: Stage, commands: readonly Command[], runs: number): Promise<Run[][]> {
  const plan = { rounds: warmUp + runs, commands: commands.map(planned), records: recordDirectory };
  return await rounds((text) => stageClock(stage, text), plan);
}

function stageClock({ directory, programs }: Stage, plan: string): AsyncIterable<string> {
  const file = path.join(directory, "plan.json");
  writeFileSync(file, plan);
  const [command, args] = inPrivateMounts([programs.stopwatch, file]);
  return execa(command, args, { stderr: "inherit" });
}

async function rounds(clock: Clock, plan: { readonly commands: readonly object[] }): Promise<Run[][]> {
  const lines: { readonly wallNs: number; readonly cpuNs: number }[][] = [];
  for await (const line of clock(JSON.stringify(plan))) lines.push(JSON.parse(line));
  const counted = lines.slice(warmUp);
  return plan.commands.map((_, index) =>
    counted.flatMap((round) => {
      const run = round[index];
      return run ? [{ wallMs: run.wallNs / 1e6, cpuMs: run.cpuNs / 1e6 }] : [];
    }),
  );
}

/** Summarizes a peer's runs. */
export function timingOf(peer: string, runs: readonly Run[] = []): Timing {
  return {
    peer,
    wallMs: spreadOf(runs.map(({ wallMs }) => wallMs)),
    cpuMs: spreadOf(runs.map(({ cpuMs }) => cpuMs)),
  };
}

/** A command in the form that the stopwatch and similar programs read. */
export function planned({ argv, env, stdin, records, atOnce = 1 }: Command): object {
  return { argv, stdin, records, atOnce, env: Object.entries(env).map(([name, value]) => `${name}=${value}`) };
}
