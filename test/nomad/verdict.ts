import type { TestContext } from "vitest";
import type { AllocationState } from "./survey.ts";
import { isSound, survived } from "./survey.ts";

/** A row of the table at the end: what became of a case's allocations. */
export interface Verdict {
  readonly allocations: number;
  /** Untouched: the same process since the same time, in the same namespace, with the same addresses and traffic. */
  readonly survived: number;
  /** Not untouched, but sound again: a running task in its allocation's namespace, with traffic at each address. */
  readonly recovered: number;
  /** Seconds from the client's start until the last allocation was dealt with. */
  readonly seconds?: number;
}

declare module "vitest" {
  interface TaskMeta {
    verdict?: Verdict;
  }
}

/** Judges what became of allocations, and notes it for the table. An allocation that was replaced counts as recovered. */
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
