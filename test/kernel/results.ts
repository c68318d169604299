import path from "node:path";
import type { Selection } from "./cases.ts";
import type { Ended } from "./second-kernel.ts";

/** The part of vitest's JSON report that is read and written. */
export interface Report {
  readonly testResults: { name: string; status: string; message?: string; assertionResults: Assertion[] }[];
}

/** The result of one case. */
export interface Assertion {
  readonly ancestorTitles: string[];
  readonly title: string;
  readonly fullName: string;
  readonly status: string;
  readonly failureMessages?: string[];
}

/** The selected cases alone. One that did not run is a failure. */
export function resultsOf(selection: Selection, { testResults }: Report): Report {
  return {
    testResults: Object.entries(selection).map(([file, names]) => {
      const found = testResults.find(({ name }) => path.basename(name) === file);
      const assertionResults = names.map((name) => {
        const result = found?.assertionResults.find(
          (each) => [...each.ancestorTitles, each.title].join(" > ") === name,
        );
        return result && result.status !== "skipped" ? result : notRun(name, result?.status, found?.message);
      });
      const passed = assertionResults.every(({ status }) => status === "passed");
      return { name: file, status: passed ? "passed" : "failed", assertionResults };
    }),
  };
}

/** Adds a failure if vitest failed although every case passed: an uncaught error belongs to no case. */
export function withUncaught(report: Report, { exitCode, stdout, stderr }: Ended): Report {
  if (exitCode === 0 || report.testResults.some(({ status }) => status !== "passed")) return report;
  const problems = [`vitest's exit code is ${exitCode}:\n${stdout}${stderr}`];
  const { testResults } = reportOf("vitest", [{ name: "no error outside the cases", problems }]);
  return { testResults: [...report.testResults, ...testResults] };
}

function notRun(name: string, status = "not found", why = ""): Assertion {
  const titles = name.split(" > ");
  return {
    ancestorTitles: titles.slice(0, -1),
    title: titles.at(-1) ?? "",
    fullName: titles.join(" "),
    status: "failed",
    failureMessages: [`did not run: ${status} ${why}`.trim()],
  };
}

/** A report of cases that are not vitest's. A case without problems has passed. */
export function reportOf(file: string, told: readonly { name: string; problems: readonly string[] }[]): Report {
  const assertionResults = told.map(({ name, problems }) => ({
    ancestorTitles: [],
    title: name,
    fullName: name,
    status: problems.length === 0 ? "passed" : "failed",
    failureMessages: [...problems],
  }));
  const passed = assertionResults.every(({ status }) => status === "passed");
  return { testResults: [{ name: file, status: passed ? "passed" : "failed", assertionResults }] };
}
