import { say } from "../../support/progress.ts";
import { cases } from "./cases.ts";
import { measureOnStage, type Run } from "./measure.ts";
import { baseName } from "./names.ts";
import { type Peer, peersOf, type Stage } from "./peers.ts";
import type { BaseRow, Report } from "./report.ts";
import { spreadOf } from "./statistics.ts";
import { verify } from "./verify.ts";

/** Times each flavor against the same flavor of another build, which does the same work. */
export async function timeAgainstBase(stage: Stage, runs: number): Promise<NonNullable<Report["base"]>> {
  const rows: BaseRow[] = [];
  for (const one of cases.filter(({ verb }) => verb !== "")) {
    verify(stage, one);
    const peers = peersOf(stage, one, "timed");
    const pairs = peers.flatMap((peer) => {
      const base = peers.find(({ name }) => name === baseName(peer.name));
      return base ? [[peer, base] as const] : [];
    });
    if (pairs.length === 0) throw new Error("the other build has no executable");
    const measured = await measureInBothOrders(stage, pairs, runs);
    say(`${one.title}: ${runs} runs of each of ${pairs.length * 2}`);
    pairs.forEach(([{ name }], index) => {
      rows.push({ title: one.title, flavor: name, ...compare(measured.own[index], measured.base[index]) });
    });
  }
  return { runs, rows };
}

/** Half of the rounds begin with the other build: what runs after a larger program finds fewer of its files in the caches. */
async function measureInBothOrders(stage: Stage, pairs: readonly (readonly [Peer, Peer])[], runs: number) {
  const half = Math.ceil(runs / 2);
  const ownFirst = await measureOnStage(stage, pairs.flat(), half);
  const baseFirst = await measureOnStage(
    stage,
    pairs.flatMap(([own, base]) => [base, own]),
    half,
  );
  const both = (index: number, other: number) => [...(ownFirst[index] ?? []), ...(baseFirst[other] ?? [])];
  return {
    own: pairs.map((_, index) => both(2 * index, 2 * index + 1)),
    base: pairs.map((_, index) => both(2 * index + 1, 2 * index)),
  };
}

/**
 * Compares the runs of two builds round by round. Both runs of a round meet the same load, so the ratio within a round
 * varies less than the ratio of two medians.
 */
export function compare(own: readonly Run[] = [], base: readonly Run[] = []): Omit<BaseRow, "title" | "flavor"> {
  const ratio = (time: keyof Run) =>
    spreadOf(own.map((run, round) => run[time] / (base[round]?.[time] ?? Number.NaN))).median;
  const median = (all: readonly Run[]) => spreadOf(all.map(({ wallMs }) => wallMs)).median;
  return { wallRatio: ratio("wallMs"), cpuRatio: ratio("cpuMs"), moreWallMs: median(own) - median(base) };
}
