import { basename } from "node:path";
import type { Bundle } from "./bundle.ts";
import type { Mutant } from "./mutants.ts";
import { type Ended, runAll, WarmWorker } from "./pool.ts";
import type { Verdict } from "./report.ts";
import type { Limited, Order, Outcome, Run } from "./worker.ts";

/** Runs the tests without a mutant. Then, for each mutant, runs the tests that reach it until one fails. */
export async function judge(
  mutants: readonly Mutant[],
  bundles: readonly Bundle[],
  workerCount: number,
  progress: (done: number, survived: number) => void,
): Promise<Verdict[]> {
  const workers = Array.from({ length: workerCount }, () => new WarmWorker(bundles));
  try {
    const runs = await runWithout(workers, bundles);
    const orders = mutants.map((mutant) => orderFor(mutant, runs));
    let [done, survived] = [0, 0];
    const outcomes = await runAll(workers, orders, (outcome) => {
      done++;
      if (isSurvival(outcome)) survived++;
      progress(done, survived);
    });
    // A mutant may have left something in its worker.
    for (const worker of workers) await runWithout([worker], bundles);
    return mutants.map((mutant, index) => ({ mutant, killed: !isSurvival(outcomes[index] as Ended) }));
  } finally {
    for (const worker of workers) await worker.stop();
  }
}

function isSurvival(outcome: Ended): boolean {
  return typeof outcome !== "string" && outcome.failed === undefined;
}

async function runWithout(workers: readonly WarmWorker[], bundles: readonly Bundle[]): Promise<Run[]> {
  const orders = bundles.map(({ test }) => ({
    mutant: undefined,
    tests: [{ test, mostAsked: Number.POSITIVE_INFINITY }],
  }));
  const outcomes = await runAll(workers, orders, () => {});
  return outcomes.flatMap((outcome, index) => passed(outcome, bundles[index]?.test ?? "").runs);
}

function passed(outcome: Ended, test: string): Outcome {
  const why = typeof outcome === "string" ? outcome : outcome.failed?.why;
  if (typeof outcome === "string" || why !== undefined) throw new Error(`without a mutant, ${test} fails: ${why}`);
  return outcome;
}

/** The tests that reach a mutant: first the test of its own file, then the fastest. */
export function orderFor(mutant: Mutant, runs: readonly Run[]): Order {
  const own = basename(mutant.file).replace(/\.ts$/, ".test.ts");
  const cost = ({ test, milliseconds }: Run) => (basename(test) === own ? 0 : milliseconds);
  const reaching = runs.filter(({ reached }) => reached.has(mutant.id));
  const tests = reaching.toSorted((one, other) => cost(one) - cost(other)).map(limited);
  return { mutant: mutant.id, tests };
}

function limited({ test, asked }: Run): Limited {
  return { test, mostAsked: 20 * asked + 100_000 };
}
