import { atOnce } from "../../../cli/live/at-once.ts";
import type { Chain } from "./chains.ts";
import { type Life, livesOf } from "./decisions.ts";
import { LoadHost } from "./host.ts";
import { live } from "./life.ts";
import type { LoadResult } from "./report.ts";
import type { Change } from "./shims.ts";

/** A load on one host. */
export interface Load {
  readonly title: string;
  readonly chains: readonly Chain[];
  readonly count: number;
  readonly atOnce: number;
  readonly seed: number;
  /** The address space of a wrapper. In KiB. */
  readonly limit: number;
  readonly hasKills: boolean;
  /** Plain plugins need a DEL after each failed ADD. */
  readonly isPlain: boolean;
  readonly change?: Change;
}

/** Runs a load, many attachments at a time. */
export async function runLoad(load: Load, progress: (done: number) => void): Promise<LoadResult> {
  await using host = await LoadHost.start(load);
  const all = livesOf(load.chains, load.count, load.seed);
  const lives = load.hasKills ? all : all.map((life) => ({ ...life, kills: {} }));
  const run = (life: Life) => live(host.lab, { ...life, delFirst: life.delFirst || load.isPlain });
  const stories = await atOnce(lives, load.atOnce, run, progress);
  const { title, count } = load;
  const chains = load.chains.map(({ list }) => list.name);
  const orders = lives.flatMap(({ kills }) => Object.keys(kills)).length;
  return { title, count, chains, orders, stories, left: await host.leftovers() };
}
