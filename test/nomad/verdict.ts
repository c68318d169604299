import type { TestContext } from "vitest";
import type { AllocationState } from "./survey.ts";
import { isSound, survived } from "./survey.ts";

/** A row of the final table: how a case's allocations ended. */
export interface Verdict {
  readonly allocations: number;
  /** Untouched: the same process since the same time, in the same namespace, with the same addresses and traffic. */
  readonly survived: number;
  /** Not untouched, but sound again: a running task in its allocation's namespace, with traffic at each address. */
  readonly recovered: number;
  /** Seconds from the client's start until it was done with the last allocation. */
  readonly seconds?: number;
}

declare module "vitest" {
  interface TaskMeta {
    verdict?: Verdict;
  }
}

/** Judges how allocations ended, and adds the case to the table. A replaced allocation counts as recovered. */
export function judge(
  { task }: TestContext,
  before: readonly AllocationState[],
  after: readonly AllocationState[],
  seconds?: number,
): Verdict {
  const untouched = before.filter((state) => survived(state, after));
  const sound = after.filter(isSound);
  const verdict = {
    allocations: before.length,
    survived: untouched.length,
    recovered: sound.length - untouched.length,
    ...(seconds !== undefined && { seconds }),
  };
  task.meta.verdict = verdict;
  return verdict;
}
