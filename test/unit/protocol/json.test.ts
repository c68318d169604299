import { describe, expect, test } from "vitest";
import {
  canonicalJson,
  goLookup,
  hasTooManyValues,
  isTooDeep,
  parseJsonList,
  parseJsonObject,
} from "../../../shared/protocol/json.ts";
import { withShallowJson } from "../support/shallow-json.ts";

test.each([
  [{ bridge: "a" }, "a"],
  [{ Bridge: "a" }, "a"],
  [{ BRIDGE: "a", bridge: "b" }, "b"],
  [{ bridge: null }, null],
  [{ bridfe: "a" }, undefined],
  [{ bridge: "a", other: "b", briDge: "c", bride: "d" }, "c"],
  [{ undefined: "a" }, undefined],
  [{ "bridg\u00e9": "a" }, undefined],
])("a key, by the rules of Go's encoding/json: in %j it is %j", (object, expected) => {
  expect(goLookup(object, "bridge")).toBe(expected);
});

// Go 1.26: json.Unmarshal of {"iſGateway": true} and {"lin\u212as": 1} sets the fields isGateway and links.
test("Go also folds the long s and the Kelvin sign", () => {
  expect(goLookup({ i\u017fGateway: true }, "isGateway")).toBe(true);
  expect(goLookup({ "lin\u212as": 1 }, "links")).toBe(1);
  expect(goLookup({ o\u017fGateway: true }, "isGateway")).toBeUndefined();
});

// A container with CAP_NET_ADMIN can name a link so. ip(8) prints the bytes as they are.
test("a control character in a link's name does not hide the other links", () => {
  const text = '[{"ifindex":2,"ifname":"eth0"},{"ifindex":3,"ifname":"a\u0001\u001bb"},\n3]\n';
  expect(parseJsonList(text)).toEqual([
    { ifindex: 2, ifname: "eth0" },
    { ifindex: 3, ifname: "a  b" },
  ]);
  expect(parseJsonList('{"ifindex":2}')).toBeUndefined();
});

test("a text is nested too deeply for an engine that follows three brackets", () => {
  const isDeep = (text: string) => withShallowJson(() => isTooDeep(text));
  expect(["{}", "{", "", "[[[[]]]]", "[[[["].filter(isDeep)).toEqual(["[[[[]]]]", "[[[["]);
});

describe("equal values", () => {
  test.each([
    [{ a: 1 }, { b: [{ c: null }] }],
    [{ mtu: { toString: null } }, { dst: 1 }],
  ])("the keys of %j before and after those of %j", (a, b) => {
    expect(canonicalJson({ ...a, ...b })).toBe(canonicalJson({ ...b, ...a }));
  });

  test("no two others", () => {
    const all: unknown[] = [{}, { a: 1 }, { a: 2 }, { toString: 1 }, { length: 0 }, [], [1], [1, 2], [2, 1], 1, "1"];
    expect(new Set(all.map(canonicalJson)).size).toBe(all.length);
  });
});

describe("a JSON text with many values", () => {
  test.each([",", "[", "{"])("has too many with 500,001 %s", (sign) => {
    expect(hasTooManyValues(sign.repeat(500_000))).toBe(false);
    expect(hasTooManyValues(`${" ".repeat(10)}${sign.repeat(500_000)}`)).toBe(false);
    expect(hasTooManyValues(sign.repeat(500_001))).toBe(true);
  });

  test("is not parsed", () => {
    expect(parseJsonObject(`{"x":[${"0,".repeat(500_000)}0]}`)).toBeUndefined();
    expect(parseJsonObject(`{"x":[${"0,".repeat(100_000)}0]}`)).toBeDefined();
  });
});
