import { globSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import type { Reporter, TestModule, Vitest } from "vitest/node";
import { type CaseList, differences, type ExecutedCases, renewed } from "./case-list.ts";

const directory = path.resolve(import.meta.dirname, "../e2e");
const listFile = path.join(directory, "cases.json");

/**
 * A vitest reporter: fails a run of all end-to-end tests whose cases are not those of `test/e2e/cases.json`, so that no
 * case is lost unseen. UPDATE_CASES=1 writes the list instead; what a case `needs` is added to it by hand.
 */
export default class CaseReporter implements Reporter {
  #vitest: Vitest | undefined;

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const executed = executedCases(modules);
    if (this.#vitest?.config.testNamePattern || !isWholeSuite(executed)) {
      return;
    }
    const listed: CaseList = JSON.parse(readFileSync(listFile, "utf8"));
    if (process.env.UPDATE_CASES) {
      writeFileSync(listFile, `${JSON.stringify(renewed(listed, executed), undefined, 2)}\n`);
      return;
    }
    const found = differences(listed, executed);
    if (found.length > 0) {
      const title = "The cases that ran are not those of test/e2e/cases.json (UPDATE_CASES=1 renews the list):";
      console.error([title, ...found].join("\n  "));
      process.exitCode = 1;
    }
  }
}

function executedCases(modules: readonly TestModule[]): ExecutedCases {
  const ours = modules.filter((module) => path.dirname(module.moduleId) === directory);
  return Object.fromEntries(
    ours.map((module) => {
      const cases = [...module.children.allTests()];
      return [
        path.basename(module.moduleId),
        cases.map((test) => ({ name: test.fullName, skipped: test.result().state === "skipped" })),
      ];
    }),
  );
}

function isWholeSuite(executed: ExecutedCases): boolean {
  return globSync("*.test.ts", { cwd: directory }).every((file) => file in executed);
}
