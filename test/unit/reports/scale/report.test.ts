import { expect, test } from "vitest";
import { type Course, isWhole, scaleTable } from "../../../reports/scale/report.ts";

const plain: Course = { title: "plain", count: 3, seconds: [2, 1, 3], survivors: [3, 3, 3], left: [] };
const wrapped: Course = {
  title: "wrapped",
  count: 3,
  seconds: [5, 5, 6],
  survivors: [3, 2, 3],
  left: ["lease a", "lease b"],
};

test.each([
  ["every allocation survived every restart", plain, true],
  ["one was lost in one restart", { ...plain, survivors: [3, 2, 3] }, false],
  ["something was left", { ...plain, left: ["lease a"] }, false],
  ["there was no restart", { ...plain, survivors: [] }, false],
])("%s", (_, course, whole) => {
  expect(isWhole(course)).toBe(whole);
});

test("the table has the worst restart, and the ratio of the medians to the first list", () => {
  const rows = scaleTable([plain, wrapped]).split("\n").slice(2);
  expect(rows.map((row) => row.split(/ *\| */).slice(1, -1))).toEqual([
    ["plain", "3", "3 of 3", "0", "2.0 s", "1.00"],
    ["wrapped", "3", "2 of 3", "2", "5.0 s", "2.50"],
  ]);
});
