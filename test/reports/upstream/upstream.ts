// `npm run upstream`: tries out the patches of `upstream/`, each alone and all together. `-- --only NAMES` runs some,
// `-- --write` renews the table in docs/upstream.md.
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { writeSection } from "../../../build/docs/page-section.ts";
import { cache } from "../../../build/publish.ts";
import { jsonText } from "../../support/json-text.ts";
import { say } from "../../support/progress.ts";
import { changedCells } from "./cells.ts";
import { type Fault, patchOf, readFaults } from "./faults.ts";
import { recipeProblems } from "./recipes.ts";
import { applyPatches, copySources } from "./sources.ts";
import { type Counts, runGinkgo, runGoTests } from "./suites.ts";
import { type Results, tableOf } from "./table.ts";
import { type Verdict, verdictOf } from "./verdict.ts";

const reference = "github.com/containernetworking/plugins";
const resultsFile = path.join(import.meta.dirname, "results.json");
const known = new Map<string, Counts>();

type Tree = "base" | "tests" | "patched";

const { values } = parseArgs({ options: { only: { type: "string" }, write: { type: "boolean" } } });
const faults = readFaults();
const chosen = faults.filter(({ name }) => values.only?.split(",").includes(name) ?? true);
const results: Record<string, Results[string]> = JSON.parse(readFileSync(resultsFile, "utf8"));
for (const fault of chosen.filter(({ obstacle }) => obstacle === undefined)) {
  results[fault.name] = await tryOut([fault]);
  report(fault.name);
}
if (values.only === undefined) {
  results["all together"] = await tryOut(
    faults.filter(({ module, obstacle }) => module === reference && obstacle === undefined),
  );
  report("all together");
}
write();
console.log(tableOf(faults, results));
process.exitCode = Object.values(results).some(({ problems }) => problems.length > 0) ? 1 : 0;

/** Compares the suites with these patches to the release and to the tests alone. Then runs the conformance cases. */
async function tryOut(together: readonly Fault[]): Promise<Results[string]> {
  const [first] = together;
  if (first === undefined) throw new Error("no patch");
  const packages = packagesOf(together);
  const all = chosen.filter(({ module, obstacle }) => module === first.module && obstacle === undefined);
  const part = (counts: Counts) =>
    Object.fromEntries(Object.entries(counts).filter(([name]) => packages.includes(name.split(": ")[0] ?? "")));
  const base = part(await once(first, packagesOf(all), "base", []));
  // No test of a patch touches the fix of another one, so that the tests of all can run at once.
  const tests = part(await once(first, packagesOf(all), "tests", all));
  const patched = part(await countsOf(first, packages, "patched", together));
  const words = together.flatMap((fault) => fault.tests);
  const verdict = verdictOf({ base, tests, patched }, words);
  return { ...verdict, ...(await conformanceOf(first, together, verdict)) };
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
  await applyPatches(copy, some.map(patchOf), name === "tests" ? "tests" : "all");
  return fault.module === reference ? runGinkgo(copy, packages, fault.version) : runGoTests(copy, packages);
}

async function conformanceOf(first: Fault, together: readonly Fault[], { problems }: Verdict) {
  if (first.module !== reference) return { problems, cells: [], run: [] };
  const plugins = [...new Set(together.flatMap((fault) => fault.packages).map((name) => path.basename(name)))];
  const directory = path.join(cache, "upstream", "patched", "programs");
  const { cells, run } = await changedCells(directory, plugins);
  const wanted = new Set(
    together.flatMap(({ conformance }) =>
      Object.entries(conformance).flatMap(([name, of]) =>
        of.filter((plugin) => run.includes(plugin)).map((plugin) => `${name}: ${plugin}`),
      ),
    ),
  );
  const unexpected = cells
    .filter((cell) => !wanted.has(cell))
    .map((cell) => `a cell that fault.json does not name: ${cell}`);
  const missing = [...wanted].filter((cell) => !cells.includes(cell)).map((cell) => `the cell did not change: ${cell}`);
  const recipes = await recipeProblems(together, directory);
  return { problems: [...problems, ...unexpected, ...missing, ...recipes], cells, run };
}

function report(name: string): void {
  for (const problem of results[name]?.problems ?? []) console.error(`${name}: ${problem}`);
  // Not only at the end: a run takes half an hour.
  write();
}

function write(): void {
  if (!values.write) return;
  writeFileSync(resultsFile, `${jsonText(results)}\n`);
  writeSection("upstream", tableOf(faults, results));
}
