import { availableParallelism } from "node:os";
import { say } from "../../support/progress.ts";
import { type Case, caseOf, cases, growthCases } from "./cases.ts";
import { footprintsOf } from "./footprint.ts";
import { measureOnStage, type Timing, timingOf } from "./measure.ts";
import { type Kind, peersOf, type Stage } from "./peers.ts";
import type { AtOnceRow, Calls, Growth, Row } from "./report.ts";
import { verify } from "./verify.ts";

/** Times the calls of a runtime, one by one. */
export async function timeCalls(stage: Stage, runs: number): Promise<Calls> {
  for (const one of cases) verify(stage, one);
  say("calls: every peer does the same work");
  const rows: Row[] = [];
  for (const one of cases) rows.push(...(await timeTogether(stage, [one], everyKind, runs)));
  return { runs, rows, footprints: await footprintsOf(stage, checkChained) };
}

const everyKind: readonly Kind[] = ["alone", "floor", "slim", "node", "emptySea", "script"];

/** Nomad makes this call for each interface when a client restarts. */
const checkChained = caseOf("CHECK chained");

/** Times CHECK with more and more interfaces, and with larger and larger configurations. */
export async function timeGrowth(stage: Stage, runs: number): Promise<Growth> {
  const time = (all: readonly Case[]) => {
    for (const one of all) verify(stage, one);
    return timeTogether(stage, all, ["floor", "slim", "node", "script"], runs);
  };
  const interfaces = await time(growthCases.interfaces);
  return { runs, interfaces, configuration: await time(growthCases.configuration) };
}

/** Times the rows of a table in the same rounds, because the table may have the ratios between them. */
async function timeTogether(stage: Stage, all: readonly Case[], kinds: readonly Kind[], runs: number): Promise<Row[]> {
  const peers = all.flatMap((one) => peersOf(stage, one, "timed").filter(({ kind }) => kinds.includes(kind)));
  const count = peers.length / all.length;
  const measured = await measureOnStage(stage, peers, runs);
  say(`${all.map(({ title }) => title).join(", ")}: ${runs} runs of each of ${count}`);
  const timings = peers.map(({ name }, index) => timingOf(name, measured[index]));
  return all.map(({ title }, row) => ({ title, timings: timings.slice(row * count, (row + 1) * count) }));
}

const counts = [1, 4, 16, 64] as const;

/** Starts many calls at once. A call that fails ends the benchmark. */
export async function timeAtOnce(stage: Stage, runs: number): Promise<AtOnceRow[]> {
  const kinds: readonly Kind[] = ["floor", "slim", "node"];
  const peers = peersOf(stage, checkChained, "timed").filter(({ kind }) => kinds.includes(kind));
  const commands = counts.flatMap((atOnce) => peers.map((peer) => ({ ...peer, atOnce })));
  const measured = await measureOnStage(stage, commands, runs);
  say(`at once: ${runs} runs of 1 to ${counts.at(-1)} of each of ${peers.length}`);
  const timings = commands.map(({ name }, index) => timingOf(name, measured[index]));
  const alone = timings.slice(0, peers.length);
  return counts.map((calls, row) => {
    const own = timings.slice(row * peers.length, (row + 1) * peers.length);
    return { title: `${calls} at once`, calls, timings: own, load: own.map((timing) => loadOf(timing, alone, calls)) };
  });
}

/** The elapsed time, divided by the processor time that this number of calls needs when each runs alone. */
function loadOf({ peer, wallMs }: Timing, alone: readonly Timing[], calls: number): number {
  const single = alone.find((timing) => timing.peer === peer)?.cpuMs.median ?? Number.NaN;
  return wallMs.median / ((calls * single) / availableParallelism());
}
