import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { readSection } from "../../build/docs/page-section.ts";
import { guardsOf, guardTable, mutantsAt } from "../reports/mutation/guards.ts";
import { mutantsOf } from "../reports/mutation/mutants.ts";
import { type Survivor, survivorsOf } from "../reports/mutation/report.ts";
import scope from "../reports/mutation/scope.json" with { type: "json" };

// `npm run test:mutation -- --guards` runs the mutants of the guards.

const root = path.resolve(import.meta.dirname, "../..");
const files = globSync(scope.mutated, { cwd: root })
  .filter((file) => !scope.excluded.some((excluded) => path.matchesGlob(file, excluded.files)))
  .sort();
const listed: Survivor[] = JSON.parse(readFileSync(path.join(root, "test/reports/mutation/survivors.json"), "utf8"));
const guards = files.flatMap((file) => {
  const source = readFileSync(path.join(root, file), "utf8");
  const own = guardsOf(file, source);
  if (own.length === 0) return [];
  const mutants = mutantsOf(file, source);
  return own.map((guard) => ({ ...guard, mutants: mutantsAt(guard, mutants) }));
});

test("docs/guards.md has every guard (if not: npm run test:mutation -- --only none --write)", () => {
  expect(guards.length).toBeGreaterThan(200);
  expect(readSection("guards").trim()).toBe(guardTable(files).trim());
});

test.each(guards)("a guard has a mutant that a test must kill: $file: $keeps", ({ mutants }) => {
  const known = new Set(listed.map(({ reason: _, times: __, ...key }) => JSON.stringify(key)));
  const all = survivorsOf(
    mutants.map((mutant) => ({ mutant, killed: false })),
    [],
  );
  const must = all.filter(({ reason: _, times: __, ...key }) => !known.has(JSON.stringify(key)));
  expect(must.length).toBeGreaterThan(0);
});
