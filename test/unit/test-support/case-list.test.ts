import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { differences, renewed } from "../../support/case-list.ts";

const listed = { "a.test.ts": ["one", { name: "two", needs: "VLAN filtering" }] };

const skipped = (name: string) => ({ name, skipped: true });
const notRun = (name: string) => `a.test.ts: not run: ${name}`;

test.each<[string, Parameters<typeof differences>[0], Parameters<typeof differences>[1], string[]]>([
  ["no difference", listed, { "a.test.ts": [ran("one"), ran("two")] }, []],
  ["no difference if one that needs something was skipped", listed, { "a.test.ts": [ran("one"), skipped("two")] }, []],
  ["one if a case did not run", listed, { "a.test.ts": [ran("one")] }, [notRun("two")]],
  ["one for each case of a file that did not run", listed, {}, ["one", "two"].map(notRun)],
  ["one if a case is not in the list", {}, { "b.test.ts": [ran("three")] }, ["b.test.ts: not in the list: three"]],
  [
    "one if a case was skipped without a reason",
    listed,
    { "a.test.ts": [skipped("one"), ran("two")] },
    ["a.test.ts: skipped, and the list does not say what it needs: one"],
  ],
  [
    "one if two cases have one name: one of them could be lost unseen",
    listed,
    { "a.test.ts": [ran("one"), ran("two"), ran("one")] },
    ["a.test.ts: two cases have this name: one"],
  ],
])("the cases are %s", (_, list, executed, expected) => {
  expect(differences(list, executed)).toEqual(expected);
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
