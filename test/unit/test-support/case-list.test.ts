import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { differences, renewed } from "../../support/case-list.ts";

const listed = { "a.test.ts": ["one", { name: "two", needs: "VLAN filtering" }] };

test("the same cases are no difference, whether or not a case that needs something was skipped", () => {
  for (const skipped of [true, false]) {
    const executed = { "a.test.ts": [ran("one"), { name: "two", skipped }] };
    expect(differences(listed, executed)).toEqual([]);
  }
});

test("a case that did not run is one", () => {
  expect(differences(listed, { "a.test.ts": [ran("one")] })).toEqual(["a.test.ts: not run: two"]);
});

test("a file that did not run is one for each of its cases", () => {
  expect(differences(listed, {})).toEqual(["a.test.ts: not run: one", "a.test.ts: not run: two"]);
});

test("a case that is not in the list is one", () => {
  expect(differences({}, { "b.test.ts": [ran("three")] })).toEqual(["b.test.ts: not in the list: three"]);
});

test("a case that was skipped without a reason is one", () => {
  const executed = { "a.test.ts": [{ name: "one", skipped: true }, ran("two")] };
  expect(differences(listed, executed)).toEqual(["a.test.ts: skipped, and the list does not say what it needs: one"]);
});

test("a name that two cases have is one, as one of them could be lost unseen", () => {
  const executed = { "a.test.ts": [ran("one"), ran("two"), ran("one")] };
  expect(differences(listed, executed)).toEqual(["a.test.ts: two cases have this name: one"]);
});

test("a renewed list keeps what cases need", () => {
  const executed = { "b.test.ts": [ran("three")], "a.test.ts": [ran("two")] };
  expect(renewed(listed, executed)).toEqual({
    "a.test.ts": [{ name: "two", needs: "VLAN filtering" }],
    "b.test.ts": ["three"],
  });
});

function ran(name: string) {
  return { name, skipped: false };
}

test.each(globSync("test/*/cases.json"))("%s is JSON: a run of a part of the cases does not read it", (file) => {
  expect(Object.keys(JSON.parse(readFileSync(file, "utf8"))).length).toBeGreaterThan(0);
});
