import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { readSection } from "../../../build/docs/page-section.ts";
import { others } from "../../reports/runs/others.ts";
import { otherTable, type Runs, readmeLine, runtimeTable } from "../../reports/runs/rows.ts";
import { casesOf, subjects } from "../../reports/runs/subjects.ts";

const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8");
const runs: Runs = JSON.parse(read("test/reports/runs/runs.json"));

test("the pages say what the last runs showed (npm run runs -- --write)", () => {
  expect(readSection("runtimes")).toBe(runtimeTable(runs));
  expect(readSection("other-plugins")).toBe(otherTable(runs));
  expect(read("README.md").split("\n")).toContain(readmeLine(runs));
});

test("every plugin of another project has run with both flavors", () => {
  expect(others.map(({ name }) => runs[name]?.flavors)).toEqual(others.map(() => ["node", "slim"]));
});

test("each case of a runtime or of another project's plugin belongs to one of them", () => {
  const listed = Object.entries(JSON.parse(read("test/runtimes/cases.json")) as Record<string, unknown[]>);
  const places = ["here", "second kernel"] as const;
  const own = subjects.filter(({ folder }) => folder === "runtimes");
  for (const [file, cases] of listed) {
    const found = own.flatMap((subject) => places.flatMap((place) => casesOf(subject, place)[file] ?? []));
    expect(found.toSorted(), file).toEqual(cases.map((one) => nameOf(one)).toSorted());
  }
});

function nameOf(entry: unknown): string {
  return typeof entry === "string" ? entry : (entry as { name: string }).name;
}
