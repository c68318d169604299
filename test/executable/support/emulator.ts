import type { TestContext } from "vitest";

const isEmulated = process.env.CNI_WRAPPERS_EMULATED !== undefined;

/** Skips a case that shows the emulator's behaviour, not the executable's. The reporter of skipped cases prints the reason. */
export function skipEmulated(skip: TestContext["skip"], reason: string): void {
  skip(isEmulated, reason);
}
