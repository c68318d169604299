// `npm run upstream`: tries out the patches of `upstream/`, each alone and all together. `-- --only NAMES` runs some
// ("together" is all of them), `-- --write` renews the table in docs/upstream.md.

import { cpSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { readSection, writeSection } from "../../../build/docs/page-section.ts";
import { specVersions } from "../../../conformance/specification.ts";
import { given, text } from "../../support/given.ts";
import { jsonText } from "../../support/json-text.ts";
import { say } from "../../support/progress.ts";
import { changedCells } from "./cells.ts";
import { digestOf, type Fault, patchOf, readFaults, reference, togetherOf } from "./faults.ts";
import { recipeProblems } from "./recipes.ts";
import { applyPatches, copyOf, copySources, outdated } from "./sources.ts";
import { type Counts, runGinkgo, runGoTests } from "./suites.ts";
import { addressesIn, type Results, tableOf } from "./table.ts";
import { type Verdict, verdictOf } from "./verdict.ts";

const resultsFile = path.join(import.meta.dirname, "results.json");
const known = new Map<string, Counts>();
const together = "together";

type Tree = "base" | "tests" | "patched";

const values = given({ only: text, write: false });
const faults = readFaults();
const names = [...faults.map(({ name }) => name), together];
const only = values.only?.split(",") ?? names;
const unknown = only.filter((name) => !names.includes(name));
if (unknown.length > 0) {
  console.error(`--only ${unknown.join()}: it must be one of ${names.join(", ")}`);
  process.exit(2);
}
const alone = only.flatMap((name) => faults.filter((fault) => fault.name === name));
/** The patches whose tests must fail before the fixes. */
const chosen = only.includes(together) ? [...new Set([...alone, ...togetherOf(faults)])] : alone;
const results: Record<string, Results[string]> = JSON.parse(readFileSync(resultsFile, "utf8"));
if (only.includes(together)) {
  results[together] = await tryOut(togetherOf(faults));
  report(together);
}
for (const fault of alone) {
  results[fault.name] = await tryOut([fault]);
  report(fault.name);
}
write();
console.log(table());
const { old, unknown: notSaid } = await outdated(faults);
for (const line of [...old, ...notSaid]) console.error(line);
process.exitCode = old.length > 0 || Object.values(results).some(({ problems }) => problems.length > 0) ? 1 : 0;

/** Compares the suites with these patches to the release and to the tests alone. Then runs the conformance cases. */
async function tryOut(some: readonly Fault[]): Promise<Results[string]> {
  const [first] = some;
  if (first === undefined) throw new Error("no patch");
  const packages = packagesOf(some);
  const all = chosen.filter(({ module }) => module === first.module);
  const part = (counts: Counts) =>
    Object.fromEntries(Object.entries(counts).filter(([name]) => packages.includes(name.split(": ")[0] ?? "")));
  const base = part(await once(first, packagesOf(all), "base", []));
  // No test of a patch touches the fix of another one, so that the tests of all can run at once.
  const tests = part(await once(first, packagesOf(all), "tests", all));
  const patched = part(await countsOf(first, packages, "patched", some));
  const words = some.flatMap((fault) => fault.tests);
  const verdict = verdictOf({ base, tests, patched }, words);
  return { ...verdict, ...(await conformanceOf(first, some, verdict)), patch: digestOf(some) };
}

function packagesOf(some: readonly Fault[]): string[] {
  return [...new Set(some.flatMap(({ packages }) => packages))];
}

async function once(fault: Fault, packages: readonly string[], name: Tree, some: readonly Fault[]): Promise<Counts> {
  const key = `${fault.module} ${name}`;
  const counts = known.get(key) ?? (await countsOf(fault, packages, name, some));
  known.set(key, counts);
  return counts;
}

/** The suites of a tree: the release, with the tests of patches alone, or with whole patches. */
async function countsOf(
  fault: Fault,
  packages: readonly string[],
  name: Tree,
  some: readonly Fault[],
): Promise<Counts> {
  say(`${some.map((each) => each.name).join(", ") || fault.module}: ${name}`);
  const copy = await copySources(fault, name);
  // Go links only those that differ.
  const released = programsOf(fault, "base");
  if (existsSync(released)) cpSync(released, programsOf(fault, name), { recursive: true });
  await applyPatches(copy, some.map(patchOf), name === "tests" ? "tests" : "all");
  // Without the fixes only the new tests matter.
  const words = name === "tests" ? some.flatMap(({ tests }) => tests) : [];
  return fault.module === reference ? runGinkgo(copy, packages, fault.version, words) : runGoTests(copy, fault);
}

function programsOf(fault: Fault, tree: Tree): string {
  return path.join(copyOf(fault, tree), "programs");
}

async function conformanceOf(first: Fault, some: readonly Fault[], { problems }: Verdict) {
  if (first.module !== reference) return { problems, cells: [], run: [] };
  const plugins = [...new Set(some.flatMap((fault) => fault.packages).map((name) => path.basename(name)))];
  const [released, patched] = [programsOf(first, "base"), programsOf(first, "patched")];
  // The rules are the same in every version, so all patches together are enough for the oldest one.
  const versions = some.length > 1 ? specVersions : specVersions.slice(-1);
  const { cells, run } = await changedCells(released, patched, plugins, versions);
  const wanted = new Set(
    some.flatMap(({ conformance }) =>
      Object.entries(conformance).flatMap(([name, of]) =>
        of.filter((plugin) => run.includes(plugin)).map((plugin) => `${name}: ${plugin}`),
      ),
    ),
  );
  const unexpected = cells
    .filter((cell) => !wanted.has(cell))
    .map((cell) => `a cell that fault.json does not name: ${cell}`);
  const missing = [...wanted].filter((cell) => !cells.includes(cell)).map((cell) => `the cell did not change: ${cell}`);
  const recipes = await recipeProblems(some, released, patched);
  return { problems: [...problems, ...unexpected, ...missing, ...recipes], cells, run };
}

function report(name: string): void {
  for (const problem of results[name]?.problems ?? []) console.error(`${name}: ${problem}`);
  // Not only at the end: a run takes more than an hour.
  write();
}

function write(): void {
  if (!values.write) return;
  writeFileSync(resultsFile, `${jsonText(results)}\n`);
  writeSection("upstream", table());
}

function table(): string {
  return tableOf(faults, results, addressesIn(readSection("upstream")));
}
