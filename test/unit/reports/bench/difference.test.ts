import { expect, test } from "vitest";
import { firstDifference } from "../../../reports/bench/difference.ts";

test("the order of keys is no difference", () => {
  expect(firstDifference({ a: 1, b: { c: [1], d: null } }, { b: { d: null, c: [1] }, a: 1 })).toBeUndefined();
});

test.each([
  [{ ips: [{ interface: 2 }] }, { ips: [{ interface: 1 }] }, "ips.0.interface is 1 instead of 2"],
  [{ ips: [1] }, { ips: [1, 2] }, "ips.1 is 2 instead of nothing"],
  [{ name: "zone" }, {}, 'name is nothing instead of "zone"'],
  [{ ips: [] }, { ips: null }, "ips is null instead of []"],
  ["", { a: 1 }, 'it is {"a":1} instead of ""'],
])("%j and %j: %s", (ours, theirs, expected) => {
  expect(firstDifference(ours, theirs)).toBe(expected);
});
