import { expect, test } from "vitest";
import { readRows, tableOf, totalOf } from "../../../reports/hardening/totals.ts";

test("a suite's total is in the lines that begin so", () => {
  expect(totalOf("| a | b |\ntotal: slim: 3 cases, 0 left something\ntotal: node: 1 case\n")).toBe(
    "slim: 3 cases, 0 left something; node: 1 case",
  );
  expect(totalOf("the total: 3\n")).toBe("it printed no total");
});

test("a table's rows can be read again, so that one suite's row is renewed alone", () => {
  const before = {
    "test:faults": { text: "3 cases", isPassed: true },
    "test:fuzz": { text: "1,000 inputs, 1 failed", isPassed: false },
  };
  expect(readRows(tableOf(before))).toEqual(before);
  const after = tableOf({ ...readRows(tableOf(before)), "test:fuzz": { text: "1,000 inputs", isPassed: true } });
  expect(after.split("\n").slice(2)).toEqual([
    expect.stringMatching(/^\| `npm run test:faults` \| .* \| 3 cases +\| passed +\|$/),
    expect.stringMatching(/^\| `npm run test:fuzz` +\| .* \| 1,000 inputs +\| passed +\|$/),
  ]);
});
