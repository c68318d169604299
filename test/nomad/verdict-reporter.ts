import type { Reporter, TestModule } from "vitest/node";
import { table } from "../../build/docs/table.ts";

const columns = ["case", "allocations", "survived", "recovered", "restored in"];

/** A vitest reporter: after all cases, prints how the allocations of each case ended. */
export default class VerdictReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const rows = modules.flatMap((module) =>
      [...module.children.allTests()].flatMap((test) => {
        const { verdict } = test.meta();
        if (!verdict) return [];
        const { allocations, survived, recovered, seconds } = verdict;
        const time = seconds === undefined ? "" : `${seconds.toFixed(1)} s`;
        return [[test.fullName, ...[allocations, survived, recovered].map(String), time]];
      }),
    );
    if (rows.length > 0) console.log(`\n${table(columns, rows)}\n`);
  }
}
