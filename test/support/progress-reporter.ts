import type { Reporter, TestModule } from "vitest/node";

/** How far a suite is: its cases so far, and those that are done. */
export interface Progress {
  readonly cases: number;
  readonly done: number;
}

/** A vitest reporter that tells the process that started vitest how far the suite is. */
export default class ProgressReporter implements Reporter {
  #cases = 0;
  #done = 0;

  onTestModuleCollected(module: TestModule): void {
    this.#cases += [...module.children.allTests()].length;
  }

  onTestCaseResult(): void {
    this.#done += 1;
    process.send?.({ cases: this.#cases, done: this.#done } satisfies Progress);
  }
}
