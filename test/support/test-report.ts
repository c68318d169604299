import { readFileSync } from "node:fs";

/** The part of vitest's JSON report that is read. A file may fail without a failed test (a broken import or hook). */
export interface TestReport {
  readonly testResults: readonly {
    readonly status: string;
    readonly assertionResults: readonly {
      readonly status: string;
      readonly fullName: string;
      readonly duration?: number | null;
    }[];
  }[];
}

/** The tests of a step. `left` has the full names of those that did not run. */
export interface Count {
  readonly passed: number;
  readonly failed: number;
  readonly left: readonly string[];
}

/** Reads a report; undefined if there is none. */
export function readReport(file: string): TestReport | undefined {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return undefined;
  }
}

/** Counts the tests of a report. Any other problem (an uncaught error, a reporter, no test that ran) is one failure. */
export function countTests(succeeded: boolean, report: TestReport | undefined): Count {
  const tests = casesOf(report);
  const passed = tests.filter(({ status }) => status === "passed").length;
  const broken = report?.testResults.filter(
    ({ status, assertionResults }) => status === "failed" && !assertionResults.some(isFailed),
  );
  const failed = tests.filter(isFailed).length + (broken?.length ?? 0);
  const unexplained = failed === 0 && (!succeeded || passed === 0);
  const left = tests.filter((test) => test.status !== "passed" && !isFailed(test)).map(({ fullName }) => fullName);
  return { passed, failed: unexplained ? 1 : failed, left };
}

/** The cases of a report. */
export function casesOf(report: TestReport | undefined): TestReport["testResults"][number]["assertionResults"] {
  return report?.testResults.flatMap(({ assertionResults }) => assertionResults) ?? [];
}

function isFailed({ status }: { readonly status: string }): boolean {
  return status === "failed";
}
