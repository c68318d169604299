import type fc from "fast-check";
import { Random } from "../simulate/random.ts";
import { changed, freshInput } from "./change.ts";
import { chosenBy } from "./choices.ts";
import type { Hits } from "./hits.ts";

/** A value for which a property fails. */
export interface Failure {
  readonly value: unknown;
  readonly why: string;
  /** The number of inputs until it was found. */
  readonly inputs: number;
}

/** The state of a search. */
export interface Search {
  readonly inputs: number;
  /** The points of the code that were passed. */
  readonly points: number;
  /** The inputs that passed something new. */
  readonly kept: number;
  readonly failure?: Failure;
}

/** So many inputs are random before the first one is changed. */
const firstInputs = 50;

/**
 * Looks for a value for which a property fails, in `count` inputs. An input that passes new code, or passes code far more
 * often, is kept. Changed copies of kept inputs are the next ones. The seed decides everything.
 */
export function search(
  property: fc.IRawProperty<unknown>,
  hits: Hits,
  { seed, count, report }: { seed: number; count: number; report: (inputs: number) => void },
): Search {
  const random = new Random(seed);
  const kept: Uint8Array[] = [];
  for (let inputs = 1; inputs <= count; inputs++) {
    const input = inputs <= firstInputs || random.once(100) ? freshInput(random) : next(kept, random);
    const { value, length } = chosenBy(property, input);
    const why = problemOf(property, value.value);
    if (hits.isNew()) kept.push(input.slice(0, Math.max(1, length)));
    if (why !== undefined) {
      const failure = { ...smallest(property, value, why, hits), inputs };
      return { inputs, points: hits.points, kept: kept.length, failure };
    }
    report(inputs);
  }
  return { inputs: count, points: hits.points, kept: kept.length };
}

/** Newer inputs are chosen more often: they passed what the others did not. */
function next(kept: readonly Uint8Array[], random: Random): Uint8Array {
  const at = Math.max(random.below(kept.length), random.below(kept.length));
  return changed(kept[at] as Uint8Array, random.of(kept), random);
}

/** Why a property fails for a value; undefined if it holds. */
export function problemOf(property: fc.IRawProperty<unknown>, value: unknown): string | undefined {
  const outcome = property.run(value);
  if (outcome === null || outcome instanceof Promise || !("error" in outcome)) return undefined;
  const { error } = outcome;
  return error instanceof Error ? `${error.stack ?? error.message}` : String(error);
}

const mostShrinks = 1000;

/** The smallest value on the way of fast-check's shrinking for which the property still fails. */
function smallest(property: fc.IRawProperty<unknown>, first: fc.Value<unknown>, firstWhy: string, hits: Hits) {
  let [found, why, left] = [first, firstWhy, mostShrinks];
  for (let isSmaller = true; isSmaller && left > 0; ) {
    isSmaller = false;
    for (const smaller of property.shrink(found)) {
      if (left-- <= 0) break;
      hits.isNew();
      const problem = problemOf(property, smaller.value);
      if (problem === undefined) continue;
      [found, why, isSmaller] = [smaller, problem, true];
      break;
    }
  }
  return { value: found.value, why };
}
