// Puts small faults (mutants) into the code, one at a time, and tests whether a unit test notices, or a test of the
// executables for a fault in Rust. It fails if the tests notice too few (scope.json), miss one in a guard without a reason in
// survivors.json, or notice one that is listed there. An earlier run's results count while the files that decided are the same.
//   --only <glob>      only the mutants of these files; it may be repeated
//   --guards           only the mutants of guards
//   --since <git ref>  only the mutants of lines that changed since then
//   --changed          the same since the branch left main; on main, since the last commit
//   --seconds <n>      mutants that did not have their turn by then are counted, and fail nothing
//   --workers <n>      at most this many at a time; the default is 1
//   --json             the result as JSON
//   --write            renews survivors.json (with --only, the entries of these files), the table of guards and the figures
//                      in docs/security.md of folders that ran as a whole; write the reasons of new entries by hand

import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readSection, writeSection } from "../../../build/docs/page-section.ts";
import { given, text } from "../../support/given.ts";
import { jsonText } from "../../support/json-text.ts";
import { say } from "../../support/progress.ts";
import { bundlesOf, root } from "./bundle.ts";
import { figuresOf, readFigures } from "./figures.ts";
import { guardsOf, guardTable, mutantsAt } from "./guards.ts";
import { instrumented } from "./instrument.ts";
import { judge, mayKill } from "./judge.ts";
import { Memory } from "./memory.ts";
import { isRust, type Mutant, mutantsOf } from "./mutants.ts";
import {
  type Aim,
  aimScores,
  type Found,
  fileScores,
  listProblems,
  missedAims,
  renewedList,
  type Survivor,
  scoreTable,
  survivorsOf,
  type Verdict,
} from "./report.ts";
import { judgeRust, rustProblem } from "./rust-judge.ts";
import { changedLines, isChanged, matchesAny } from "./selection.ts";
import { baseOfChanges, git } from "./since.ts";

interface Scope {
  readonly mutated: readonly string[];
  readonly excluded: readonly Excluded[];
  readonly tests: readonly string[];
  readonly excludedTests: readonly Excluded[];
  /** The tests of the executables, for faults in Rust. */
  readonly testsOfRust: readonly string[];
  readonly importedOnce: readonly Excluded[];
  readonly aims: readonly Aim[];
}

interface Excluded {
  readonly files: string;
  readonly reason: string;
}

const flags = { guards: false, changed: false, json: false, write: false };
const options = given({ ...flags, only: [], since: text, seconds: text, workers: 1 });
const isWhole = options.only.length === 0;
/** Whether some mutants of a file do not run. */
const isPart = options.since !== undefined || options.changed || options.guards;
if (options.write && isPart)
  throw new Error("a part of a file's mutants runs, so --write would lose the entries of the rest");
const scope: Scope = JSON.parse(readFileSync(join(import.meta.dirname, "scope.json"), "utf8"));
const listFile = join(import.meta.dirname, "survivors.json");
const listed: Survivor[] = JSON.parse(readFileSync(listFile, "utf8"));

/** The files that match, without the excluded ones. */
function filesOf(globs: readonly string[], excluded: readonly Excluded[]): string[] {
  const found = globs.flatMap((glob) => globSync(glob, { cwd: root }));
  const without = excluded.map(({ files }) => files);
  return [...new Set(found)].filter((file) => !matchesAny(file, without)).sort();
}

function isWanted(file: string): boolean {
  return isWhole || matchesAny(file, options.only);
}

/** Which mutants of a source run. */
function filterOf(): (mutant: Mutant, guarding: ReadonlySet<Mutant>) => boolean {
  const base = options.changed ? baseOfChanges() : options.since;
  if (options.changed && base === undefined) say("no commit to compare with: nothing changed");
  const diff = base && git("diff", "--unified=0", "--no-ext-diff", base, "--", ...scope.mutated);
  const changed = options.changed || options.since !== undefined ? changedLines(diff ?? "") : undefined;
  return (mutant, guarding) => (!changed || isChanged(mutant, changed)) && (!options.guards || guarding.has(mutant));
}

/** The chosen mutants, those of guards first, and every source with its own. */
function makeMutants() {
  const isChosen = filterOf();
  const sources = new Map<string, string>();
  const chosen: { readonly mutant: Mutant; readonly isGuarding: boolean }[] = [];
  let count = 0;
  for (const file of filesOf(scope.mutated, scope.excluded)) {
    if (!isWanted(file)) continue;
    const source = readFileSync(join(root, file), "utf8");
    const all = mutantsOf(file, source, count);
    const guarding = new Set(guardsOf(file, source).flatMap((guard) => mutantsAt(guard, all)));
    const mutants = all.filter((mutant) => isChosen(mutant, guarding));
    count += all.length;
    if (mutants.length > 0 && !isRust(file)) sources.set(join(root, file), instrumented(source, mutants));
    chosen.push(...mutants.map((mutant) => ({ mutant, isGuarding: guarding.has(mutant) })));
  }
  const sorted = chosen.sort((one, other) => Number(other.isGuarding) - Number(one.isGuarding));
  const guarding = new Set(chosen.filter(({ isGuarding }) => isGuarding).map(({ mutant }) => mutant));
  return { chosen: sorted.map(({ mutant }) => mutant), guarding, sources };
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
function problemsOf(verdicts: readonly Verdict[], found: Found): string[] {
  const files = new Set(verdicts.map(({ mutant }) => mutant.file));
  const whole = isWhole ? listed : listed.filter(({ file }) => files.has(file));
  const problems = listProblems(found, whole, isPart ? "some" : "all");
  return isPart ? problems : [...problems, ...missedAims(aimScores(verdicts, wholeAims()), wholeAims())];
}

function wholeAims(): Aim[] {
  const all = filesOf(scope.mutated, scope.excluded);
  return scope.aims.filter(({ files }) => all.every((file) => isWanted(file) || !matchesAny(file, files)));
}

function writeList(verdicts: readonly Verdict[], found: Found): void {
  const run = isWhole ? listed : verdicts.map(({ mutant }) => mutant);
  const list = renewedList(found, listed, new Set(run.map(({ file }) => file)));
  writeFileSync(listFile, `${jsonText(list)}\n`);
  const all = filesOf(scope.mutated, scope.excluded);
  const ran = new Set(all.filter(isWanted));
  const commit = git("rev-parse", "--short=8", "HEAD") ?? "";
  const when = { commit, date: new Date().toISOString().slice(0, 10) };
  writeSection("guards", guardTable(all));
  writeSection("mutation", figuresOf(verdicts, readFigures(readSection("mutation")), { ran, all, when }));
}

function report(verdicts: readonly Verdict[], guarding: ReadonlySet<Mutant>, chosen: number): void {
  const survivors = survivorsOf(verdicts, listed);
  const ofGuards = survivorsOf(
    verdicts.filter(({ mutant }) => guarding.has(mutant)),
    listed,
  );
  const found = { survivors, ofGuards };
  if (options.write) writeList(verdicts, found);
  const problems = problemsOf(verdicts, found);
  const scores = [...fileScores(verdicts), ...aimScores(verdicts, wholeAims())];
  console.log(options.json ? JSON.stringify({ scores, survivors, problems }, null, 2) : scoreTable(scores));
  if (!options.json) for (const problem of problems) console.log(problem);
  const missing = `${chosen - verdicts.length} of ${chosen} mutants`;
  if (verdicts.length < chosen) say(`${missing} do not compile (Rust), or had no turn`);
  if (problems.length > 0) process.exitCode = 1;
}

const started = performance.now();
const { chosen, guarding, sources } = makeMutants();
const memory = new Memory();
const endsAt = started + 1000 * Number(options.seconds ?? Number.POSITIVE_INFINITY);

async function judgeScripts(): Promise<Verdict[]> {
  const mutants = chosen.filter(({ file }) => !isRust(file));
  const mutated = new Set(mutants.map(({ file }) => file));
  const tests = filesOf(scope.tests, scope.excludedTests).filter((test) =>
    [...mutated].some((file) => mayKill(test, file)),
  );
  const once = scope.importedOnce.map(({ files }) => files);
  const all = await bundlesOf(tests, sources, once);
  const bundles = all.filter(({ files }) => files.some((file) => mutated.has(file)));
  say(`${mutants.length} mutants, ${bundles.length} test files`);
  const progress = progressOf(mutants.length, performance.now());
  return judge(mutants, bundles, {
    workerCount: options.workers,
    guarding,
    endsAt,
    looksBack: !isPart,
    memory,
    progress,
  });
}

/** In less time, the executable is not built and tested without a fault. In milliseconds. */
const shortestForRust = 300_000;

async function judgeExecutable(): Promise<Verdict[]> {
  const mutants = chosen.filter(({ file }) => isRust(file));
  if (mutants.length === 0) return [];
  const isShort = endsAt - performance.now() < shortestForRust;
  const problem = isShort ? "its build and tests take minutes, so run this without --seconds" : rustProblem();
  if (problem) say(`no fault in Rust was tried: ${problem}`);
  if (problem && !isPart) process.exitCode = 1;
  if (problem) return [];
  const tests = await bundlesOf(filesOf(scope.testsOfRust, scope.excludedTests), new Map());
  say(`${mutants.length} mutants in Rust, ${tests.length} test files`);
  return judgeRust(mutants, tests, { endsAt, memory, progress: progressOf(mutants.length, performance.now()) });
}

report([...(await judgeScripts()), ...(await judgeExecutable())], guarding, chosen.length);
