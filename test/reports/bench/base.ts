import { say } from "../../support/progress.ts";
import { cases } from "./cases.ts";
import { measureOnStage, type Run } from "./measure.ts";
import { baseName } from "./names.ts";
import { type Peer, peersOf, type Stage } from "./peers.ts";
import type { BaseRow, Report } from "./report.ts";
import { copyWrappers } from "./stage.ts";
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

/** How often the executables are copied anew. Every second time, each round begins with the other build. */
const copies = 24;

/** What runs after a larger program finds fewer of its files in the processor's cache, so the builds take turns to be first. */
async function measureInBothOrders(stage: Stage, pairs: readonly (readonly [Peer, Peer])[], runs: number) {
  const measured = { own: pairs.map((): Run[] => []), base: pairs.map((): Run[] => []) };
  for (let copy = 0; copy < copies; copy++) {
    copyWrappers(stage);
    const first = copy % 2;
    const peers = pairs.flatMap(([own, base]) => (first === 0 ? [own, base] : [base, own]));
    const found = await measureOnStage(stage, peers, Math.ceil(runs / copies));
    pairs.forEach((_, index) => {
      measured.own[index]?.push(...(found[2 * index + first] ?? []));
      measured.base[index]?.push(...(found[2 * index + 1 - first] ?? []));
    });
  }
  return measured;
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
