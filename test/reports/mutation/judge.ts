import { basename } from "node:path";
import { say } from "../../support/progress.ts";
import type { Bundle } from "./bundle.ts";
import type { Mutant } from "./mutants.ts";
import { type Ended, runAll, WarmWorker } from "./pool.ts";
import type { Verdict } from "./report.ts";
import type { Limited, Order, Run } from "./worker.ts";

/** How to run the mutants. */
export interface Way {
  readonly workerCount: number;
  /** After this moment of `performance.now()`, no mutant gets a turn. */
  readonly endsAt: number;
  /** Whether the tests run once more at the end: a mutant may have left something, and so have killed others. */
  readonly looksBack: boolean;
  readonly progress: (done: number, survived: number) => void;
}

/** Runs the tests without a mutant. Then, for each mutant, runs the tests that reach it until one fails. */
export async function judge(
  mutants: readonly Mutant[],
  bundles: readonly Bundle[],
  { workerCount, endsAt, looksBack, progress }: Way,
): Promise<Verdict[]> {
  const workers = Array.from({ length: workerCount }, () => new WarmWorker(bundles));
  try {
    const reach = reachOf(await runWithout(workers, bundles));
    const killers = new Map<string, string[]>();
    const orders = mutants.map((mutant) => () => {
      return orderFor(mutant, reach.get(mutant.id) ?? [], killers.get(kindOf(mutant)));
    });
    let [done, survived] = [0, 0];
    const outcomes = await runAll(workers, orders, {
      isOver: () => performance.now() > endsAt,
      done: (outcome, index) => {
        done++;
        if (isSurvival(outcome)) survived++;
        const [mutant, test] = [mutants[index], typeof outcome === "object" ? outcome.failed?.test : undefined];
        if (mutant && test) noteKiller(killers, kindOf(mutant), test);
        progress(done, survived);
      },
    });
    if (looksBack) {
      for (const worker of workers)
        await runWithout([worker], bundles).catch(({ message }) => say(`afterwards, ${message}`));
    }
    return mutants.flatMap((mutant, index) => {
      const outcome = outcomes[index];
      return outcome === undefined ? [] : { mutant, killed: !isSurvival(outcome) };
    });
  } finally {
    for (const worker of workers) await worker.stop();
  }
}

/** Whether every test passed. */
export function isSurvival(outcome: Ended): boolean {
  return typeof outcome !== "string" && outcome.failed === undefined;
}

async function runWithout(workers: readonly WarmWorker[], bundles: readonly Bundle[]): Promise<Run[]> {
  const orders = bundles.map(({ test }) => () => ({
    mutant: undefined,
    tests: [{ test, mostAsked: Number.POSITIVE_INFINITY }],
    limitMs: 600_000,
  }));
  const outcomes = await runAll(workers, orders);
  const failed = outcomes.flatMap((outcome, index) => {
    const why = typeof outcome === "object" ? outcome.failed?.why : outcome;
    return why === undefined ? [] : `without a mutant, ${bundles[index]?.test} fails: ${why}`;
  });
  if (failed.length > 0) throw new Error(failed.join("\n"));
  return outcomes.flatMap((outcome) => (typeof outcome === "object" ? outcome.runs : []));
}

/** A test file that reaches a mutant, and which of its tests do. If its declarations reach it, all of them do. */
interface Reaching {
  readonly run: Run;
  readonly cases: number[] | undefined;
}

/** The test files that reach each mutant. */
export function reachOf(runs: readonly Run[]): ReadonlyMap<number, readonly Reaching[]> {
  const reach = new Map<number, Reaching[]>();
  for (const run of runs) {
    const [declared = new Int32Array(), ...byCase] = run.reached;
    const here = new Map<number, Reaching>();
    for (const [index, ids] of byCase.entries())
      for (const id of ids)
        here
          .set(id, here.get(id) ?? { run, cases: [] })
          .get(id)
          ?.cases?.push(index);
    for (const id of declared) here.set(id, { run, cases: undefined });
    for (const [id, reaching] of here) reach.set(id, [...(reach.get(id) ?? []), reaching]);
  }
  return reach;
}

/** This many test files decide about a mutant of a command. More would take an hour for each percent. */
const mostFiles = 10;

/** Each test imports the plugins, so most of them reach a mutant there. The tests that see one of a kind see the others. */
function kindOf({ file }: Mutant): string {
  return file.startsWith("plugins/") ? basename(file) : file;
}

function noteKiller(killers: Map<string, string[]>, kind: string, test: string): void {
  const others = (killers.get(kind) ?? []).filter((other) => other !== test);
  killers.set(kind, [test, ...others]);
}

/**
 * The tests that decide about a mutant: of those that reach it, first its own file's, then those that killed one of its kind,
 * then the nearest, then the fewest.
 */
export function orderFor(mutant: Mutant, reaching: readonly Reaching[], killers: readonly string[] = []): Order {
  const own = basename(mutant.file).replace(/\.ts$/, ".test.ts");
  const rank = ({ run: { test }, cases }: Reaching) => [
    basename(test) === own ? 0 : 1,
    killers.includes(test) ? killers.indexOf(test) : killers.length,
    -nearness(mutant.file, test),
    cases?.length ?? Number.MAX_SAFE_INTEGER,
  ];
  const sorted = reaching
    .filter(({ run: { test } }) => mayKill(test, mutant.file))
    .map((one) => ({ one, rank: rank(one) }))
    .sort((one, other) => compared(one.rank, other.rank))
    .map(({ one }) => one);
  const chosen = mutant.file.startsWith("shared/") ? sorted : sorted.slice(0, mostFiles);
  const usualMs = chosen.reduce((sum, { run }) => sum + run.milliseconds, 0);
  return { mutant: mutant.id, tests: chosen.map(limited), limitMs: 10_000 + 10 * usualMs };
}

/** The core has fast tests of its own. Those of the commands are slow, and no evidence that they see its faults. */
export function mayKill(test: string, file: string): boolean {
  return !(file.startsWith("shared/") && test.startsWith("test/unit/cli/"));
}

function compared(one: readonly number[], other: readonly number[]): number {
  return one.map((value, index) => value - (other[index] ?? 0)).find((difference) => difference !== 0) ?? 0;
}

/** The number of folders that a source has in common with a test, which mirrors it in test/unit/. */
function nearness(file: string, test: string): number {
  const folders = file
    .replace(/^shared\//, "")
    .split("/")
    .slice(0, -1);
  const mirrored = test.replace("test/unit/", "").split("/").slice(0, -1);
  const different = folders.findIndex((folder, index) => mirrored[index] !== folder);
  return different < 0 ? folders.length : different;
}

function limited({ run: { test, asked }, cases }: Reaching): Limited {
  return { test, ...(cases && { cases }), mostAsked: 20 * asked + 100_000 };
}
