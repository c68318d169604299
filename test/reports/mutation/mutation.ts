// Puts small faults (mutants) into shared/, one at a time, and tests whether a unit test notices. It fails if the tests
// notice too few (scope.json), or if the list of the others (survivors.json) is not exact.
//   --only <glob>      only the mutants of these files
//   --since <git ref>  only the mutants of lines that changed since then
//   --workers <n>      at most this many at a time; the default is 2
//   --json             the result as JSON
//   --write            renews survivors.json (with --only, the entries of these files); write the reasons of new
//                      survivors by hand
import { execFileSync } from "node:child_process";
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { say } from "../../support/progress.ts";
import { bundlesOf, root } from "./bundle.ts";
import { guardsOf, mutantsAt } from "./guards.ts";
import { instrumented } from "./instrument.ts";
import { judge, mayKill } from "./judge.ts";
import { mutantsOf } from "./mutants.ts";
import {
  type Aim,
  aimScores,
  fileScores,
  listProblems,
  missedAims,
  renewedList,
  type Survivor,
  scoreTable,
  survivorsOf,
  type Verdict,
} from "./report.ts";
import { changedLines, isChanged, matchesAny } from "./selection.ts";

interface Scope {
  readonly mutated: readonly string[];
  readonly excluded: readonly Excluded[];
  readonly tests: readonly string[];
  readonly excludedTests: readonly Excluded[];
  readonly importedOnce: readonly Excluded[];
  readonly aims: readonly Aim[];
}

interface Excluded {
  readonly files: string;
  readonly reason: string;
}

const { values: options } = parseArgs({
  options: {
    only: { type: "string", multiple: true },
    since: { type: "string" },
    workers: { type: "string", default: "1" },
    guards: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
    write: { type: "boolean", default: false },
  },
});
if (options.write && options.since !== undefined) {
  throw new Error("--since runs a part of a file, so --write would lose the entries of the rest");
}
const scope: Scope = JSON.parse(readFileSync(join(import.meta.dirname, "scope.json"), "utf8"));
const listFile = join(import.meta.dirname, "survivors.json");
const listed: Survivor[] = JSON.parse(readFileSync(listFile, "utf8"));

/** The files that match, without the excluded ones. */
function filesOf(globs: readonly string[], excluded: readonly Excluded[]): string[] {
  const found = globs.flatMap((glob) => globSync(glob, { cwd: root }));
  const without = excluded.map(({ files }) => files);
  return [...new Set(found)].filter((file) => !matchesAny(file, without)).sort();
}

/** The chosen mutants, and every source with all its mutants. */
function makeMutants() {
  const diff = options.since && ["diff", "--unified=0", "--no-ext-diff", options.since, "--", ...scope.mutated];
  const changed = diff ? changedLines(execFileSync("git", diff, { cwd: root, encoding: "utf8" })) : undefined;
  const instrumentedSources = new Map<string, string>();
  const chosen = [];
  let count = 0;
  for (const file of filesOf(scope.mutated, scope.excluded)) {
    if (options.only !== undefined && !matchesAny(file, options.only)) continue;
    const source = readFileSync(join(root, file), "utf8");
    const all = mutantsOf(file, source, count);
    const guarding = options.guards
      ? new Set(guardsOf(file, source).flatMap((guard) => mutantsAt(guard, all)))
      : undefined;
    const mutants = all.filter(
      (mutant) => (!changed || isChanged(mutant, changed)) && (!guarding || guarding.has(mutant)),
    );
    count += all.length;
    if (mutants.length === 0) continue;
    instrumentedSources.set(join(root, file), instrumented(source, mutants));
    chosen.push(...mutants);
  }
  return { chosen, instrumentedSources };
}

function progressOf(total: number, started: number) {
  return (done: number, survived: number): void => {
    const isLast = done === total;
    if (!process.stderr.isTTY && !isLast && done % 250 !== 0) return;
    const seconds = Math.round((performance.now() - started) / 1000);
    const line = `${done} of ${total} mutants, ${survived} survived, ${seconds} s`;
    process.stderr.write(process.stderr.isTTY ? `\r${line}${isLast ? "\n" : ""}` : `${line}\n`);
  };
}

/** The problems of the list and the aims. A part of the mutants shows nothing about those that did not run. */
function problemsOf(verdicts: readonly Verdict[], survivors: readonly Survivor[]): string[] {
  if (options.since !== undefined) return listProblems(survivors, listed).filter((it) => !it.startsWith("does not"));
  const files = new Set(verdicts.map(({ mutant }) => mutant.file));
  if (options.only !== undefined)
    return listProblems(
      survivors,
      listed.filter(({ file }) => files.has(file)),
    );
  return [...listProblems(survivors, listed), ...missedAims(aimScores(verdicts, scope.aims), scope.aims)];
}

function writeList(verdicts: readonly Verdict[], survivors: readonly Survivor[]): void {
  const run = options.only === undefined ? listed : verdicts.map(({ mutant }) => mutant);
  const list = renewedList(survivors, listed, new Set(run.map(({ file }) => file)));
  writeFileSync(listFile, `${JSON.stringify(list, null, 2)}\n`);
}

function report(verdicts: readonly Verdict[]): void {
  const survivors = survivorsOf(verdicts, listed);
  if (options.write) writeList(verdicts, survivors);
  const problems = problemsOf(verdicts, survivors);
  const scores = [...fileScores(verdicts), ...aimScores(verdicts, scope.aims)];
  console.log(options.json ? JSON.stringify({ scores, survivors, problems }, null, 2) : scoreTable(scores));
  if (!options.json) for (const problem of problems) console.log(problem);
  if (problems.length > 0) process.exitCode = 1;
}

const started = performance.now();
const { chosen, instrumentedSources } = makeMutants();
const once = scope.importedOnce.map(({ files }) => files);
const mutated = new Set(chosen.map(({ file }) => file));
const tests = filesOf(scope.tests, scope.excludedTests).filter((test) =>
  chosen.some(({ file }) => mayKill(test, file)),
);
const bundles = (await bundlesOf(tests, instrumentedSources, once)).filter(({ files }) =>
  files.some((file) => mutated.has(file)),
);
say(`${chosen.length} mutants, ${bundles.length} test files`);
report(await judge(chosen, bundles, Number(options.workers), progressOf(chosen.length, started)));
