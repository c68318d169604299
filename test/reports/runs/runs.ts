// `npm run runs`: runs the cases of runtimes and plugins of other projects with each flavor, and says which version passed when.
// It leaves out what is not on this machine (CONTRIBUTING.md names the variables). `-- --only NAME,NAME` runs some of them.
// `-- --write` renews the tables in docs/runtimes.md and docs/plugins.md and the README's line. The exit code is 1 if a case failed.

import { existsSync, mkdtempDisposableSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { execa } from "execa";
import { writeSection } from "../../../build/docs/page-section.ts";
import { type Selection, vitestArguments } from "../../kernel/cases.ts";
import { type Report, resultsOf, withUncaught } from "../../kernel/results.ts";
import { runCases } from "../../kernel/run-cases.ts";
import { flavors } from "../../support/flavors.ts";
import { given, text } from "../../support/given.ts";
import { jsonText } from "../../support/json-text.ts";
import { say } from "../../support/progress.ts";
import { otherTable, type Run, type Runs, readmeLine, runtimeTable } from "./rows.ts";
import type { Subject } from "./subject.ts";
import { casesOf, subjects } from "./subjects.ts";

const root = path.resolve(import.meta.dirname, "../../..");
const resultsFile = path.join(import.meta.dirname, "runs.json");

const values = given({ only: text, write: false });
const wanted = values.only?.split(",");
const runs: Record<string, Run> = JSON.parse(readFileSync(resultsFile, "utf8"));

for (const name of wanted ?? []) {
  if (!subjects.some((subject) => subject.name === name)) throw new Error(`no program is called ${name}`);
}
for (const subject of subjects.filter(({ name }) => wanted?.includes(name) ?? true)) {
  const version = await subject.version();
  if (version === undefined) {
    say(`${subject.name} is not here`);
    if (wanted) process.exitCode = 1;
  } else {
    const run = await tryOut(subject, version);
    if (run === undefined) process.exitCode = 1;
    else runs[subject.name] = run;
  }
}
console.log(`${runtimeTable(runs)}\n\n${otherTable(runs)}`);
if (values.write) write(inOrder(runs));

/** Runs each case of a program with each flavor that is built. Returns nothing if one failed. */
async function tryOut(subject: Subject, version: string): Promise<Run | undefined> {
  const passed: string[] = [];
  let cases = 0;
  for (const { env } of flavors.filter(({ env }) => existsSync(env.CNI_WRAPPERS_BIN ?? ""))) {
    Object.assign(process.env, env);
    const reports = [await here(subject), await elsewhere(subject)];
    const all = reports.flatMap(({ testResults }) => testResults.flatMap(({ assertionResults }) => assertionResults));
    const failed = all.filter(({ status }) => status !== "passed");
    say(
      `${subject.name} ${version}, ${env.CNI_WRAPPERS_FLAVOR}: ${all.length - failed.length} of ${all.length} passed`,
    );
    for (const { fullName, failureMessages = [] } of failed) say(`${fullName}: ${failureMessages.join("\n")}`);
    if (failed.length > 0 || all.length === 0) return undefined;
    cases = all.length;
    passed.push(env.CNI_WRAPPERS_FLAVOR ?? "");
  }
  return { version, date: new Date().toISOString().slice(0, 10), cases, flavors: passed };
}

async function here(subject: Subject): Promise<Report> {
  const selection = casesOf(subject, "here");
  return isEmpty(selection) ? { testResults: [] } : await runHere(subject.folder, selection);
}

async function elsewhere(subject: Subject): Promise<Report> {
  const selection = casesOf(subject, "second kernel");
  return isEmpty(selection) || subject.folder === "nomad"
    ? { testResults: [] }
    : await runCases(subject.folder, "", selection);
}

function isEmpty(selection: Selection): boolean {
  return Object.keys(selection).length === 0;
}

async function runHere(folder: Subject["folder"], selection: Selection): Promise<Report> {
  using directory = mkdtempDisposableSync(path.join(tmpdir(), "cni-wrappers-runs-"));
  const file = path.join(directory.path, "report.json");
  const options = ["--reporter=json", `--outputFile.json=${file}`, "--maxWorkers=2"];
  const command = ["node_modules/vitest/vitest.mjs", "run", "--project", folder, ...options];
  const {
    stdout,
    stderr,
    exitCode = 1,
  } = await execa(process.execPath, [...command, ...vitestArguments(selection, folder)], {
    cwd: root,
    reject: false,
  });
  if (!existsSync(file)) throw new Error(`vitest left no report:\n${stdout}${stderr}`);
  const report = resultsOf(selection, JSON.parse(readFileSync(file, "utf8")));
  return withUncaught(report, { exitCode, stdout, stderr });
}

function inOrder(unordered: Runs): Runs {
  return Object.fromEntries(
    subjects.flatMap(({ name }) => {
      const run = unordered[name];
      return run ? [[name, run]] : [];
    }),
  );
}

function write(all: Runs): void {
  writeFileSync(resultsFile, `${jsonText(all)}\n`);
  writeSection("runtimes", runtimeTable(all));
  writeSection("other-plugins", otherTable(all));
  const readme = path.join(root, "README.md");
  writeFileSync(readme, readFileSync(readme, "utf8").replace(/^Tried with .*$/m, readmeLine(all)));
}
