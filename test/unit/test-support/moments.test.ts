import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { caseOf, momentsOf } from "../../kernel/moments.ts";

// The disk has the same files at both moments.
const twins = [
  ["ADD before 1 macvlan", "ADD before 1 host-local"],
  ["ADD after 1 host-local", "ADD after 1 macvlan"],
  ["ADD after 2 host-local", "ADD after 1 bridge"],
  ["ADD before 1 tuning", "ADD after 1 tuning-wrapper"],
  ["DEL before 1 tuning-wrapper", "DEL after 1 tuning"],
  ["DEL before 1 bridge", "DEL before 1 host-local"],
  ["DEL after 1 bridge-wrapper", "DEL before 1 macvlan"],
  ["DEL after 2 host-local", "DEL after 1 macvlan"],
] as const;

const verbOf = Object.fromEntries(momentsOf(0, 1).map(({ cut, recover }) => [cut, recover]));

test.each(twins)("%s and %s leave the same files, and another verb recovers them", (one, other) => {
  expect([verbOf[one], verbOf[other]]).not.toContain(undefined);
  expect(verbOf[one]).not.toBe(verbOf[other]);
});

test.each([0, 1])("kernel %i of 2 recovers moments of both calls by every verb", (part) => {
  const verbs = momentsOf(part, 2).map(({ cut, recover }) => `${cut.slice(0, 3)} by ${recover}`);
  expect([...new Set(verbs)].sort()).toEqual([
    "ADD by ADD",
    "ADD by DEL",
    "ADD by GC",
    "DEL by ADD",
    "DEL by DEL",
    "DEL by GC",
  ]);
});

test("the kernels together have each listed moment once", () => {
  const file = new URL("../../kernel/reboots.json", import.meta.url);
  const listed = (JSON.parse(readFileSync(file, "utf8")) as string[]).filter((name) => name.startsWith("power"));
  const names = [0, 1, 2].flatMap((part) => momentsOf(part, 3).map(caseOf));
  expect(names.toSorted()).toEqual(listed.toSorted());
  expect(new Set(names).size).toBe(20);
});
