import { describe, expect, test } from "vitest";
import { countTests } from "../../support/test-report.ts";

const file = (status: string, ...cases: string[]) => ({
  status,
  assertionResults: cases.map((caseStatus, index) => ({ status: caseStatus, fullName: `case ${index}` })),
});

describe("the count of a step", () => {
  test.each([
    ["cases", true, [file("passed", "passed", "skipped")], { passed: 1, failed: 0, left: ["case 1"] }],
    ["a failed case", false, [file("failed", "passed", "failed")], { passed: 1, failed: 1, left: [] }],
    ["a file that is broken", false, [file("failed"), file("passed", "passed")], { passed: 1, failed: 1, left: [] }],
    ["an error outside the cases", false, [file("passed", "passed")], { passed: 1, failed: 1, left: [] }],
    ["no case", true, [], { passed: 0, failed: 1, left: [] }],
    ["only skipped cases", true, [file("passed", "todo")], { passed: 0, failed: 1, left: ["case 0"] }],
  ])("%s", (_, succeeded, testResults, count) => {
    expect(countTests(succeeded, { testResults })).toEqual(count);
  });

  test("no report", () => {
    expect(countTests(true, undefined)).toEqual({ passed: 0, failed: 1, left: [] });
  });
});
