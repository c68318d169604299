// `npm run test:simulate`: the wrappers' core against the model of a host, a runtime and plugins, in many schedules. Each
// has its own order of verbs, kills, power failures and other containers' calls between any two answers of the host.
//
//     node test/simulate/simulate.ts                 100,000 schedules
//     node test/simulate/simulate.ts --count 1000    so many schedules
//     node test/simulate/simulate.ts --seed 42       one schedule, with its history
import { fork } from "node:child_process";
import { once } from "node:events";
import { availableParallelism } from "node:os";
import process from "node:process";
import { parseArgs } from "node:util";
import { table } from "../../build/docs/table.ts";
import { say } from "../support/progress.ts";
import { Broken } from "./log.ts";
import { Simulation } from "./simulation.ts";

/** What some schedules did: the counts of verbs and faults, and what was broken, by seed. */
interface Part {
  readonly counts: Readonly<Record<string, number>>;
  readonly broken: Readonly<Record<string, string>>;
}

// Every plugin error and every kill is an error here, too. Nobody reads their stacks.
Error.stackTraceLimit = 0;
const { values } = parseArgs({
  options: {
    count: { type: "string", default: "100000" },
    seed: { type: "string" },
    part: { type: "string", multiple: true },
  },
});

if (values.part) process.send?.(partOf(...(values.part.map(Number) as [number, number])));
else if (values.seed !== undefined) tellOne(Number(values.seed));
else await tellAll(Number(values.count));

function partOf(from: number, until: number): Part {
  const counts: Record<string, number> = {};
  const broken: Record<string, string> = {};
  for (let seed = from; seed < until; seed++) {
    const simulation = new Simulation(seed);
    try {
      simulation.run();
    } catch (error) {
      broken[seed] = error instanceof Broken ? (error.message.split("\n")[0] ?? "") : String(error);
    }
    for (const [what, times] of simulation.log.counts) counts[what] = (counts[what] ?? 0) + times;
  }
  return { counts, broken };
}

function tellOne(seed: number): void {
  const simulation = new Simulation(seed);
  try {
    simulation.run();
    console.log(`${simulation.log.history.join("\n")}\n\nseed ${seed}: no promise is broken`);
  } catch (error) {
    console.log(`${error instanceof Error ? error.message : error}\n\nseed ${seed}: a promise is broken`);
    process.exitCode = 1;
  }
}

async function tellAll(count: number): Promise<void> {
  const parts = await partsOf(count);
  const counts = new Map<string, number>();
  for (const [what, times] of parts.flatMap((part) => Object.entries(part.counts))) {
    counts.set(what, (counts.get(what) ?? 0) + times);
  }
  const rows = [...counts]
    .sort(([one], [other]) => one.localeCompare(other))
    .map(([what, times]) => [what, `${times}`]);
  console.log(table(["verb or fault", "times"], rows));
  const broken = parts.flatMap((part) => Object.entries(part.broken));
  for (const [seed, promise] of broken.slice(0, 20)) console.log(`seed ${seed}: ${promise}`);
  console.log(`\ntotal: ${count} schedules, ${broken.length} broken${broken.length > 0 ? "; --seed N shows one" : ""}`);
  if (broken.length > 0) process.exitCode = 1;
}

/** Runs the seeds from 0 to below `count`, on all CPUs. */
async function partsOf(count: number): Promise<Part[]> {
  const size = 500;
  const starts = Array.from({ length: Math.ceil(count / size) }, (_, index) => index * size);
  const waiting = starts.values();
  const parts: Part[] = [];
  const work = async () => {
    for (const from of waiting) {
      const until = Math.min(count, from + size);
      const child = fork(import.meta.filename, ["--part", `${from}`, "--part", `${until}`]);
      const [[part]] = await Promise.all([once(child, "message"), once(child, "exit")]);
      parts.push(part);
      say(`${parts.length * size} of ${count} schedules`);
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  return parts;
}
