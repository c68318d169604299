import { expect, test } from "vitest";
import { spreadOf } from "../../../reports/bench/statistics.ts";

test.each([
  [[7], { median: 7, p10: 7, p90: 7 }],
  [[3, 1, 2], { median: 2, p10: 1.2, p90: 2.8 }],
  [[11, 1, 10, 2, 9, 3, 8, 4, 7, 5, 6], { median: 6, p10: 2, p90: 10 }],
])("the middle and the spread of %j", (figures, expected) => {
  expect(spreadOf(figures)).toEqual(expected);
});
