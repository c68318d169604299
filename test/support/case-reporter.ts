import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Reporter, TestModule, Vitest } from "vitest/node";
import { type CaseList, differences, type ExecutedCases, renewed } from "./case-list.ts";

/**
 * A vitest reporter that fails a run if its cases differ from the `cases.json` next to the test files, so that no case
 * gets lost. It compares every executed file, and every listed file that is missing. UPDATE_CASES=1 writes the list
 * instead. Add `needs` by hand.
 */
export default class CaseReporter implements Reporter {
  #vitest: Vitest | undefined;

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    if (this.#vitest?.config.testNamePattern) return;
    const directories = new Set(modules.map(({ moduleId }) => path.dirname(moduleId)));
    for (const directory of directories) {
      const listFile = path.join(directory, "cases.json");
      if (!existsSync(listFile)) continue;
      checkOrRenew(
        listFile,
        modules.filter(({ moduleId }) => path.dirname(moduleId) === directory),
      );
    }
  }
}

function checkOrRenew(listFile: string, modules: readonly TestModule[]): void {
  const executed = executedCases(modules);
  const whole: CaseList = JSON.parse(readFileSync(listFile, "utf8"));
  const isThere = (file: string) => existsSync(path.join(path.dirname(listFile), file));
  if (process.env.UPDATE_CASES) {
    const kept = Object.entries(whole).filter(([file]) => isThere(file));
    const list = { ...Object.fromEntries(kept), ...renewed(whole, executed) };
    writeFileSync(listFile, `${JSON.stringify(inOrder(list), undefined, 2)}\n`);
    return;
  }
  const listed = Object.entries(whole).filter(([file]) => file in executed || !isThere(file));
  const found = differences(Object.fromEntries(listed), executed);
  if (found.length > 0) {
    const name = path.relative(path.resolve(import.meta.dirname, "../.."), listFile);
    const title = `The cases that ran are not those of ${name} (UPDATE_CASES=1 renews the list):`;
    console.error([title, ...found].join("\n  "));
    process.exitCode = 1;
  }
}

function executedCases(modules: readonly TestModule[]): ExecutedCases {
  return Object.fromEntries(
    modules.map((module) => {
      const cases = [...module.children.allTests()];
      return [
        path.basename(module.moduleId),
        cases.map((test) => ({ name: test.fullName, skipped: test.result().state === "skipped" })),
      ];
    }),
  );
}

function inOrder(list: CaseList): CaseList {
  return Object.fromEntries(Object.entries(list).sort(([one], [other]) => (one < other ? -1 : 1)));
}
