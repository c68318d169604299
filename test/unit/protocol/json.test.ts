import { describe, expect, test } from "vitest";
import { goLookup, isJsonObject, isTooDeep, sameJson } from "../../../shared/protocol/json.ts";
import { withShallowJson } from "../support/shallow-json.ts";

test.each([
  [{}, true],
  [{ a: 1 }, true],
  [[], false],
  [null, false],
  ["{}", false],
  [1, false],
  [undefined, false],
])("%j is a JSON object: %s", (value, expected) => {
  expect(isJsonObject(value)).toBe(expected);
});

describe("a key, by the rules of Go's encoding/json", () => {
  test.each([
    [{ bridge: "a" }, "a"],
    [{ Bridge: "a" }, "a"],
    [{ BRIDGE: "a", bridge: "b" }, "b"],
    [{ bridge: "b", BRIDGE: "a" }, "a"],
    [{ bridge: null }, null],
    [{ bridges: "a" }, undefined],
    [{ bridfe: "a" }, undefined],
    [{ bridge: "a", other: "b", briDge: "c", bride: "d" }, "c"],
    [{ undefined: "a" }, undefined],
    [{}, undefined],
  ])("in %j it is %j", (object, expected) => {
    expect(goLookup(object, "bridge")).toBe(expected);
  });
});

test.each([
  ["{}", false],
  ["{", false],
  ["", false],
  ["[[[[]]]]", true],
  ["[[[[", true],
])("%s is nested too deeply for an engine that follows three brackets: %s", (text, expected) => {
  expect(withShallowJson(() => isTooDeep(text))).toBe(expected);
});

describe("equal values", () => {
  test.each([
    [
      { a: 1, b: [{ c: null }] },
      { b: [{ c: null }], a: 1 },
    ],
    [[], []],
    [{}, {}],
    [null, null],
    ["x", "x"],
    [0, 0],
  ])("%j, %j", (a, b) => expect(sameJson(a, b)).toBe(true));

  test.each([
    [{ a: 1 }, { a: 2 }],
    [
      { a: 1, b: 1 },
      { a: 1, b: 2 },
    ],
    [[], { length: 0 }],
    [{ length: 0 }, []],
    [{ a: 1 }, { b: 1 }],
    [{ a: 1 }, { a: 1, b: 1 }],
    [{ a: 1, b: 1 }, { a: 1 }],
    [{ a: undefined }, { b: undefined }],
    [
      [1, 2],
      [2, 1],
    ],
    [[1], [1, 2]],
    [[], {}],
    [{}, null],
    [null, {}],
    [1, "1"],
    [{ toString: 1 }, {}],
  ])("not %j, %j", (a, b) => expect(sameJson(a, b)).toBe(false));
});
