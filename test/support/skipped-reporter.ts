import path from "node:path";
import type { Reporter, TestModule } from "vitest/node";

/** A vitest reporter that prints at the end how many cases of a file were skipped, and each reason. */
export default class SkippedReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    for (const module of modules) {
      for (const [reason, count] of reasons(module)) {
        console.log(`skipped in ${path.basename(module.moduleId)}: ${count} cases: ${reason}`);
      }
    }
  }
}

function reasons(module: TestModule): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const test of module.children.allTests()) {
    const result = test.result();
    if (result.state !== "skipped") continue;
    const reason = result.note ?? "no reason";
    counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
  return counts;
}
