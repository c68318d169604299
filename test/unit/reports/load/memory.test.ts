import { expect, test } from "vitest";
import { isFlat } from "../../../reports/load/memory.ts";

test.each([
  [2000, 2000, true],
  [2000, 2200, true],
  [2000, 2201, false],
  [Number.NaN, 2000, false],
  [2000, Number.NaN, false],
  [0, 0, false],
])("one call needs %s KiB, and many at once at most %s: flat is %s", (alone, atOnce, flat) => {
  expect(isFlat({ verb: "ADD", alone, atOnce })).toBe(flat);
});
