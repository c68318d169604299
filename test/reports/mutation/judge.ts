import { basename, relative } from "node:path";
import { say } from "../../support/progress.ts";
import { type Bundle, root } from "./bundle.ts";
import { Digests, digest, type Memory, type Remembered } from "./memory.ts";
import type { Mutant } from "./mutants.ts";
import { type Ended, runAll, WarmWorker } from "./pool.ts";
import type { Verdict } from "./report.ts";
import type { Limited, Order, Run } from "./worker.ts";

/** How to run the mutants. */
export interface Way {
  readonly workerCount: number;
  /** The mutants of guards: tests have more time to decide about them. */
  readonly guarding: ReadonlySet<Mutant>;
  /** After this moment of `performance.now()`, no mutant gets a turn. */
  readonly endsAt: number;
  /** Whether the tests run once more at the end: a mutant may have left something, and so have killed others. */
  readonly looksBack: boolean;
  readonly memory: Memory;
  readonly progress: (done: number, survived: number) => void;
}

/**
 * Runs the tests without a mutant. Then, for each mutant, runs the tests that reach it until one fails. If nothing changed
 * that decided about a mutant in an earlier run, it keeps its verdict.
 */
export async function judge(
  mutants: readonly Mutant[],
  bundles: readonly Bundle[],
  { workerCount, guarding, endsAt, looksBack, memory, progress }: Way,
): Promise<Verdict[]> {
  const workers = Array.from({ length: workerCount }, () => new WarmWorker(bundles));
  try {
    const runs = await runWithout(workers, bundles);
    const reach = reachOf(runs);
    const past = new Past(memory, bundles, runs);
    const timeFor = (mutant: Mutant) => (guarding.has(mutant) ? longestOfGuard : longest);
    const verdicts = new Map<Mutant, boolean>();
    const killers = new Map<string, string[]>();
    const settle = (mutant: Mutant, { killed, by }: Pick<Remembered, "killed" | "by">): void => {
      verdicts.set(mutant, killed);
      if (by) noteKiller(killers, kindOf(mutant), by.test);
    };
    const reaching = (mutant: Mutant) =>
      (reach.get(mutant.id) ?? []).filter(({ run }) => mayKill(run.test, mutant.file));
    const open = mutants.filter((mutant) => {
      const known = past.verdictOf(mutant, reaching(mutant), timeFor(mutant));
      if (known) settle(mutant, known);
      return !known;
    });
    const orders = open.map((mutant) => () => {
      const order = orderFor(mutant, reaching(mutant), timeFor(mutant), killers.get(kindOf(mutant)));
      return { ...order, tests: [...past.killersOf(mutant, reaching(mutant)), ...order.tests] };
    });
    await runAll(workers, orders, {
      isOver: () => performance.now() > endsAt,
      done: (outcome, index) => {
        const mutant = open[index] as Mutant;
        const failed = typeof outcome === "object" ? outcome.failed : undefined;
        const by = failed && { test: failed.test, index: failed.index };
        const verdict = { killed: !isSurvival(outcome), ...(by && { by }) };
        settle(mutant, verdict);
        past.note(mutant, reaching(mutant), timeFor(mutant), verdict);
        progress(verdicts.size, [...verdicts.values()].filter((killed) => !killed).length);
      },
    });
    if (looksBack) {
      for (const worker of workers)
        await runWithout([worker], bundles).catch(({ message }) => {
          say(`afterwards, ${message}: a mutant did that, so some may have been noticed only because of it`);
          process.exitCode = 1;
        });
    }
    return mutants.flatMap((mutant) => {
      const killed = verdicts.get(mutant);
      return killed === undefined ? [] : { mutant, killed };
    });
  } finally {
    for (const worker of workers) await worker.stop();
  }
}

/** What earlier runs tell about the mutants, as far as the files that decided are as they were. */
export class Past {
  readonly #memory: Memory;
  readonly #digests: ReadonlyMap<string, string>;

  constructor(memory: Memory, bundles: readonly Bundle[], runs: readonly Run[]) {
    this.#memory = memory;
    const digests = new Digests();
    const read = new Map(runs.map((run) => [run.test, run.read.map((path) => relative(root, path))]));
    this.#digests = new Map(
      bundles.map(({ test, files, required }) => {
        const once = required.filter((name) => name.startsWith("/")).map((path) => relative(root, path));
        return [test, digests.of([...files, ...once, ...(read.get(test) ?? [])])];
      }),
    );
  }

  verdictOf(mutant: Mutant, reaching: readonly Reaching[], time: number): Remembered | undefined {
    const known = this.#memory.recall(mutant);
    return known?.digest === this.#digestOf(known?.by, reaching, time) ? known : undefined;
  }

  /** The test that killed it, which may do so again. */
  killersOf(mutant: Mutant, reaching: readonly Reaching[]): Limited[] {
    const by = this.#memory.recall(mutant)?.by;
    const test = by && reaching.find(({ run }) => run.test === by.test);
    return test && by.index >= 0 ? [{ ...limited(test), cases: [by.index] }] : [];
  }

  note(mutant: Mutant, reaching: readonly Reaching[], time: number, result: Pick<Remembered, "killed" | "by">): void {
    this.#memory.note(mutant, { ...result, digest: this.#digestOf(result.by, reaching, time) });
  }

  // The killer decides alone. A mutant survives, or ends its worker, with the tests that reach it and had time.
  #digestOf(by: Remembered["by"], reaching: readonly Reaching[], time: number): string {
    const tests = by ? [by.test] : reaching.map(({ run }) => run.test).sort();
    const files = tests.flatMap((test) => [test, this.#digests.get(test) ?? "gone"]);
    return digest(by ? files : [...files, `${time}`]);
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

/** Tests that take this long decide about a mutant, in milliseconds. With 700, tests a folder away were left out. */
const longest = 2000;
const longestOfGuard = 20_000;

/** Each test imports the plugins, so most of them reach a mutant there. The tests that see one of a kind see the others. */
function kindOf({ file }: Mutant): string {
  return file.startsWith("plugins/") ? basename(file) : file;
}

function noteKiller(killers: Map<string, string[]>, kind: string, test: string): void {
  const others = (killers.get(kind) ?? []).filter((other) => other !== test);
  killers.set(kind, [test, ...others]);
}

/**
 * The tests that decide about a mutant: of those that reach it, first its own file's, or the group of tests with its name (each
 * rule of `lint` has one), then the nearest, those that killed one of its kind before the others, then the fastest, while there
 * is time.
 */
export function orderFor(
  mutant: Mutant,
  reaching: readonly Reaching[],
  time: number,
  killers: readonly string[] = [],
): Order {
  const own = basename(mutant.file, ".ts");
  const sorted = sortedBy(reaching, (one) => [
    basename(one.run.test) === `${own}.test.ts` || one.run.groups.includes(own) ? 0 : 1,
    -nearness(mutant.file, one.run.test),
    killers.includes(one.run.test) ? killers.indexOf(one.run.test) : killers.length,
    durationOf(one),
  ]);
  const chosen = inTime(sorted, own, time);
  const usualMs = chosen.reduce((sum, one) => sum + durationOf(one), 0);
  return { mutant: mutant.id, tests: chosen.map(limited), limitMs: 10_000 + 10 * usualMs };
}

/** The processor's time for the tests that reach a mutant, without it. */
function durationOf({ run: { milliseconds }, cases }: Reaching): number {
  const [shared = 0, ...own] = milliseconds;
  return (cases ?? [...own.keys()]).reduce((sum, index) => sum + (own[index] ?? 0), shared);
}

/** As many as there is time for, but all of the named group, or else the whole first file: of each file, the fastest tests. */
function inTime(sorted: readonly Reaching[], group: string, time: number): Reaching[] {
  let left = time;
  return sorted.flatMap((one, at) => {
    const [shared = 0, ...own] = one.run.milliseconds;
    const whole = one.cases ?? [...own.keys()];
    const hasGroup = one.run.groups.includes(group);
    const rank = (index: number) => (one.run.groups[index] === group ? 0 : 1);
    if (left < shared && at > 0) return [];
    left -= shared;
    const cases = sortedBy(whole, (index) => [rank(index), own[index] ?? 0]).filter((index) => {
      const isInTime = (hasGroup ? rank(index) : at) === 0 || (own[index] ?? 0) <= left;
      if (isInTime) left -= own[index] ?? 0;
      return isInTime;
    });
    if (cases.length === whole.length && !hasGroup) return one;
    return cases.length > 0 ? { ...one, cases: sortedBy(cases, (index) => [rank(index), index]) } : [];
  });
}

function sortedBy<T>(all: readonly T[], rank: (one: T) => readonly number[]): T[] {
  return all
    .map((one) => ({ one, rank: rank(one) }))
    .sort((one, other) => compared(one.rank, other.rank))
    .map(({ one }) => one);
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
