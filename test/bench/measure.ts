import { writeFileSync } from "node:fs";
import path from "node:path";
import { execa } from "execa";
import { inPrivateMounts, type Peer, type Stage } from "./stage.ts";
import { type Spread, spreadOf } from "./statistics.ts";

/** What the runs of one peer took. */
export interface Timing {
  readonly peer: string;
  readonly wallMs: Spread;
  /** Processor time, user and system, of the call and all that it started. */
  readonly cpuMs: Spread;
  readonly peakMB: number;
}

/** One line of the stopwatch. */
type Round = readonly { readonly wallNs: number; readonly cpuNs: number; readonly peakKiB: number }[];

// Files come into the page cache, and clocks up to speed.
const warmUp = 3;

/** Times the peers round by round; `onRound` is told how many rounds are done. */
export async function measure(
  { directory, stopwatch }: Stage,
  peers: readonly Peer[],
  runs: number,
  onRound: (done: number) => void,
): Promise<[Timing, ...Timing[]]> {
  const plan = path.join(directory, "plan.json");
  const commands = peers.map(({ argv, env, stdin }) => ({ argv, stdin, env: pairs(env) }));
  writeFileSync(plan, JSON.stringify({ rounds: warmUp + runs, commands, leftovers: "/var/lib/cni/wrappers" }));
  const [command, args] = inPrivateMounts([stopwatch, plan]);
  const rounds: Round[] = [];
  for await (const line of execa(command, args, { stderr: "inherit" })) rounds.push(onLine(line));
  const [first, ...others] = peers.map(({ name }, index) => timingOf(name, rounds.slice(warmUp), index));
  if (!first) throw new Error("nothing was timed");
  return [first, ...others];

  function onLine(line: string): Round {
    onRound(Math.max(0, rounds.length + 1 - warmUp));
    return JSON.parse(line);
  }
}

function timingOf(peer: string, rounds: readonly Round[], index: number): Timing {
  const runs = rounds.flatMap((round) => round[index] ?? []);
  return {
    peer,
    wallMs: spreadOf(runs.map(({ wallNs }) => wallNs / 1e6)),
    cpuMs: spreadOf(runs.map(({ cpuNs }) => cpuNs / 1e6)),
    peakMB: spreadOf(runs.map(({ peakKiB }) => (peakKiB * 1024) / 1e6)).median,
  };
}

function pairs(env: Readonly<Record<string, string>>): string[] {
  return Object.entries(env).map(([name, value]) => `${name}=${value}`);
}
