// `npm run test:simulate`: the wrappers' core against the model of a host, runtimes and plugins, in many schedules. Each has
// its own order of verbs, faults, edits and other containers' calls between any two answers of the host.
//
//     node test/simulate/simulate.ts                 100,000 schedules
//     node test/simulate/simulate.ts --count 1000    so many schedules
//     node test/simulate/simulate.ts --seed 42       one schedule, with its history
//     node test/simulate/simulate.ts --seed 200000 --count 2000   so many schedules from a seed on
//     node test/simulate/simulate.ts --siblings      lists that share names, pools and plugins, edits, and verbs at once
//     node test/simulate/simulate.ts --planted       the schedule or scenario that sees each of some faults in the core
import { fork } from "node:child_process";
import { once } from "node:events";
import { availableParallelism } from "node:os";
import { table } from "../../build/docs/table.ts";
import { atOnce } from "../../cli/live/at-once.ts";
import { given, text } from "../support/given.ts";
import { say } from "../support/progress.ts";
import { tellPlanted } from "./planted.ts";
import { type Ran, runSeed, shortest, traceOf } from "./search.ts";

/** What some schedules did: the counts of events and faults, and the broken promise by seed. */
interface Part {
  readonly counts: Readonly<Record<string, number>>;
  readonly broken: Readonly<Record<string, string>>;
}

// Every plugin error and every stop is an error here, too. Nobody reads their stacks.
Error.stackTraceLimit = 0;
const values = given({ count: text, seed: text, siblings: false, planted: false, part: [] });
const { siblings } = values;

if (values.planted) process.exitCode = await tellPlanted();
else if (values.part.length > 0) process.send?.(partOf(...(values.part.map(Number) as [number, number])));
else if (values.seed !== undefined && values.count === undefined) tellOne(Number(values.seed));
else await tellAll(Number(values.seed ?? 0), Number(values.count ?? 100_000));

function partOf(from: number, until: number): Part {
  const counts: Record<string, number> = {};
  const broken: Record<string, string> = {};
  for (let seed = from; seed < until; seed++) {
    const ran = runSeed(seed, siblings);
    if (ran.broken) {
      // An interrupted run has told what it saw.
      say(`seed ${seed}: ${ran.broken.message.replace(/\n.*/s, "")}`);
      broken[seed] = ran.broken.promise;
    }
    for (const [what, times] of ran.log.counts) counts[what] = (counts[what] ?? 0) + times;
  }
  return { counts, broken };
}

function tellOne(seed: number): void {
  const ran = runSeed(seed, siblings);
  console.log(`${traceOf(ran)}\n\nseed ${seed}: ${ran.broken ? "a promise is broken" : "no promise is broken"}`);
  if (!ran.broken) return;
  console.log(`\nIn short:\n\n${traceOf(shortest(ran))}`);
  process.exitCode = 1;
}

async function tellAll(first: number, count: number): Promise<void> {
  const parts = await partsOf(first, first + count);
  const counts = new Map<string, number>();
  for (const [what, times] of parts.flatMap((part) => Object.entries(part.counts))) {
    counts.set(what, (counts.get(what) ?? 0) + times);
  }
  const rows = [...counts]
    .sort(([one], [other]) => one.localeCompare(other))
    .map(([what, times]) => [what, `${times}`]);
  console.log(table(["event, outcome or fault", "times"], rows));
  const broken = parts.flatMap((part) => Object.entries(part.broken));
  const byPromise = Map.groupBy(broken, ([, promise]) => promise);
  for (const [promise, schedules] of byPromise)
    tellShortest(
      promise,
      schedules.map(([seed]) => Number(seed)),
    );
  console.log(`\ntotal: ${count} schedules, ${broken.length} broken${broken.length > 0 ? "; --seed N shows one" : ""}`);
  if (broken.length > 0) process.exitCode = 1;
}

/** Tells how often a promise was broken, and the shortest trace of the first ones. */
function tellShortest(promise: string, seeds: readonly number[]): void {
  const traces = seeds.slice(0, 5).map((seed): [number, Ran] => [seed, shortest(runSeed(seed, siblings))]);
  const [[seed, ran] = []] = traces.sort(([, one], [, other]) => one.events.length - other.events.length);
  console.log(
    `\n${promise}: broken in ${seeds.length} schedules. The shortest, seed ${seed}:\n\n${ran && traceOf(ran)}`,
  );
}

/** Runs the seeds from `first` to below `end`, on all CPUs. */
async function partsOf(first: number, end: number): Promise<readonly Part[]> {
  const size = 500;
  const starts = Array.from({ length: Math.ceil((end - first) / size) }, (_, index) => first + index * size);
  const run = async (from: number): Promise<Part> => {
    const flags = siblings ? ["--siblings"] : [];
    const until = Math.min(end, from + size);
    const child = fork(import.meta.filename, ["--part", `${from}`, "--part", `${until}`, ...flags]);
    const [[part]] = await Promise.all([once(child, "message"), once(child, "exit")]);
    return part;
  };
  const report = (done: number) => say(`${done * size} of ${end - first} schedules`);
  return atOnce(starts, availableParallelism(), run, report);
}
