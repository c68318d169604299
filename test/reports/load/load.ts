// Many attachments at once over real chains, while wrappers and plugins are killed. It exits with 1 if something is left,
// if a call fails that does not fail with the plain plugins, if a wrapper needs more memory when many run at once, or if
// fewer calls ran than it asked for. `--seed 7` makes other kills.

import { execa } from "execa";
import { table } from "../../../build/docs/table.ts";
import { flavors } from "../../support/flavors.ts";
import { given, text } from "../../support/given.ts";
import { say } from "../../support/progress.ts";
import { plainChains, wrappedChains } from "./chains.ts";
import { type PlantedChange, plantedChanges } from "./changes.ts";
import { isFlat, type Peak, peaksOf } from "./memory.ts";
import { callColumns, callRows, killColumns, killRows, type LoadResult, ownProblems, problemsOf } from "./report.ts";
import { type Load, runLoad } from "./run.ts";

/** `count` attachments with the slim flavor, `fewer` with the Node flavor and with the plain plugins. `part` is for the child processes. */
const options = given({ count: 1000, fewer: 150, "at-once": 64, seed: 1, part: text });
const { count, fewer, "at-once": atOnce, seed } = options;

interface Part {
  readonly result: LoadResult;
  readonly peaks: readonly Peak[];
  /** The planted changes that the load did not notice. */
  readonly unseen: readonly string[];
}

const common = { atOnce, seed, hasKills: true, isPlain: false, chains: wrappedChains };

/** An engine like V8 reserves more than a GiB of address space, and uses little of it. */
const parts = {
  plain: { ...common, title: "plain", count: fewer, chains: plainChains, isPlain: true, limit: 0 },
  slim: { ...common, title: "slim", count, limit: 16 * 1024 },
  node: { ...common, title: "Node", count: fewer, limit: 2 * 1024 * 1024 },
} satisfies Record<string, Load>;
type PartName = keyof typeof parts;

if (options.part !== undefined) console.log(JSON.stringify(await runPart(options.part as PartName)));
else process.exitCode = report(await startPart("plain"), [await startPart("slim"), await startPart("node")]);

/** Runs a part in a process of its own: its variables choose the wrappers of every lab. */
async function startPart(name: PartName): Promise<Part> {
  const flavor = flavors.find(({ env }) => env.CNI_WRAPPERS_FLAVOR === (name === "plain" ? "slim" : name));
  const args = [import.meta.filename, ...process.argv.slice(2), "--part", name];
  const { stdout } = await execa(process.execPath, args, { env: { ...flavor?.env }, stderr: "inherit" });
  return JSON.parse(stdout);
}

async function runPart(name: PartName): Promise<Part> {
  const load = parts[name];
  const unseen = name === "slim" ? await unseenChanges(load) : [];
  const peaks = load.isPlain ? [] : await peaksOf(atOnce);
  const result = await runLoad(load, (done) => {
    if (done % 50 === 0 || done === load.count) say(`${load.title}: ${done} of ${load.count} attachments`);
  });
  return { result, peaks, unseen };
}

/** Runs a small load with each change. Returns the names of the changes without a problem. */
async function unseenChanges(load: Load): Promise<string[]> {
  const unseen: string[] = [];
  const changes = Object.entries(plantedChanges);
  for (const [name, change] of changes) if (!(await isSeen(load, change))) unseen.push(name);
  say(`${load.title}: the load notices ${changes.length - unseen.length} of ${changes.length} planted faults`);
  return unseen;
}

async function isSeen(load: Load, change: PlantedChange): Promise<boolean> {
  const count = load.chains.length;
  const result = await runLoad({ ...load, count, atOnce: count, hasKills: false, change }, () => {});
  return problemsOf(result).some((problem) => change.shows.test(problem));
}

/** Prints the tables and the problems. Returns the exit code. */
function report(plain: Part, wrapped: readonly Part[]): number {
  const results = [...wrapped, plain].map(({ result }) => result);
  console.log(`seed ${seed}, ${atOnce} at once\n`);
  console.log(`${table(callColumns, results.flatMap(callRows))}\n`);
  console.log(`${table(killColumns, results.flatMap(killRows))}\n`);
  console.log(`${table(["peak memory", "verb", "one call", `${atOnce} at once`], wrapped.flatMap(peakRows))}\n`);
  const known = problemsOf(plain.result);
  const problems = wrapped.flatMap((part) => problemsOfPart(part, known));
  for (const problem of known) console.log(`plain: ${problem}`);
  for (const problem of problems) console.log(problem);
  const stories = results.flatMap((result) => result.stories);
  const calls = stories.flatMap((story) => story.calls);
  const killed = calls.filter((call) => call.killed !== undefined).length;
  console.log(
    `total: ${stories.length} attachments, ${calls.length} calls, ${killed} with a kill, ${problems.length} problems, ${known.length} of the plain plugins`,
  );
  return problems.length === 0 ? 0 : 1;
}

function problemsOfPart({ result, peaks, unseen }: Part, known: readonly string[]): string[] {
  return [
    ...ownProblems(problemsOf(result), known).map((problem) => `${result.title}: ${problem}`),
    ...peaks.filter((peak) => !isFlat(peak)).map(({ verb }) => `${result.title}: the memory of ${verb} grows`),
    ...unseen.map((name) => `${result.title}: the load does not notice ${name}`),
  ];
}

function peakRows({ result, peaks }: Part): string[][] {
  return peaks.map(({ verb, alone, atOnce: all }) => [result.title, verb, `${alone} KiB`, `${all} KiB`]);
}
