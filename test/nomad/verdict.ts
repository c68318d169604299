import { expect, type TestContext } from "vitest";
import { isPassedCheck } from "./log.ts";
import type { NomadLab } from "./nomad-lab.ts";
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

/** Runs a job. Expects so many sound allocations, and returns them. */
export async function soundRun(nomad: NomadLab, job: Parameters<NomadLab["run"]>[0], count: number) {
  await nomad.run(job);
  const before = await nomad.survey("job");
  expect(before.filter(isSound)).toHaveLength(count);
  return before;
}

/** Restarts the client. Expects that every allocation passes CHECK, and survives. */
export async function expectUntouched(nomad: NomadLab, context: TestContext, before: readonly AllocationState[]) {
  await nomad.restartClient();
  const seconds = await nomad.untilLogged(before.length, isPassedCheck);
  const verdict = judge(context, before, await nomad.survey("job"), seconds);
  expect(verdict).toMatchObject({ allocations: before.length, survived: before.length });
}
