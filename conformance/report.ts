import type { ConformanceCase } from "./case.ts";
import { conformanceCases } from "./cases.ts";
import type { Ended } from "./run.ts";
import { type SpecVersion, specVersions } from "./specification.ts";
import type { Call } from "./trial.ts";

/** A run of the cases with one plugin. */
export interface Run {
  /** The executable's path. */
  readonly plugin: string;
  readonly ended: readonly Ended[];
  /** What limits the results, a sentence each. */
  readonly notes: readonly string[];
  /** The words of the command line that choose the plugin. */
  readonly words: readonly string[];
}

/** The outcome of a case in a report. */
export type Verdict = "failed" | "not run" | "passed";

/** The outcome of one case in one version, for all reports. */
export interface Row extends Pick<ConformanceCase, "name" | "section" | "level" | "sentence"> {
  readonly version: SpecVersion;
  readonly outcome: Verdict;
  /** Why it failed, or why it did not run. */
  readonly reason: string;
  /** Of a failed case. The last call shows the problem. */
  readonly calls: readonly Call[];
  /** The command that repeats the case. */
  readonly repeat: string;
}

/** The rows of a run, in the order of the cases. */
export function rowsOf({ ended, words }: Pick<Run, "ended" | "words">): Row[] {
  return ended.map(({ name, version, problem, notRun, calls }) => {
    const { section, level, sentence } = conformanceCases.find((each) => each.name === name) as ConformanceCase;
    const outcome = problem !== "" ? "failed" : notRun !== "" ? "not run" : "passed";
    const repeat = ["cni-conformance", ...words, "--spec", version, "--case", name].map(quoted).join(" ");
    const shown = outcome === "failed" ? calls.map(cut) : [];
    return { name, section, level, sentence, version, outcome, reason: problem || notRun, calls: shown, repeat };
  });
}

/** A call with the beginning of its output. */
function cut(call: Call): Call {
  return { ...call, stdout: call.stdout.slice(0, 10_000), stderr: call.stderr.slice(0, 10_000) };
}

/** How many rows have each outcome. */
export function totalOf(rows: readonly Row[]): Record<Verdict, number> {
  const count = (wanted: Verdict) => rows.filter(({ outcome }) => outcome === wanted).length;
  return { passed: count("passed"), failed: count("failed"), "not run": count("not run") };
}

/** The report for a person: a block for each failed case, then the figures. */
export function textOf(run: Run): string {
  const rows = rowsOf(run);
  const blocks = rows.filter(({ outcome }) => outcome === "failed").map(blockOf);
  const notRun = rows
    .filter(({ outcome }) => outcome === "not run")
    .map(({ name, version, reason }) => `not run: ${name} (${version}): ${reason}`);
  const { passed, failed, "not run": rest } = totalOf(rows);
  const versions = specVersions.filter((version) => rows.some((row) => row.version === version)).join(", ");
  const figures = `${run.plugin}, ${versions}: ${passed} passed, ${failed} failed, ${rest} not run`;
  return [...blocks, ...notRun, ...run.notes.map((note) => `note: ${note}`), figures].join("\n");
}

function blockOf({ name, version, level, section, sentence, reason, calls, repeat }: Row): string {
  const call = calls.at(-1);
  return [
    `failed: ${name} (${version})`,
    `  because  ${indented(reason)}`,
    `  SPEC.md  ${level}, section ${section}: ${sentence}`,
    ...(call === undefined ? ["  sent     nothing: the case failed before"] : callLines(call)),
    `  again    ${repeat}`,
    "",
  ].join("\n");
}

function callLines({ env, stdin, exitCode, stdout, stderr, stopped = "a signal ended it" }: Call): string[] {
  const variables = Object.entries(env).map((pair) => quoted(pair.join("=")));
  return [
    `  sent     ${variables.join(" ")}`,
    `           ${indented(typeof stdin === "string" ? stdin : `stdin is ${stdin.file}`)}`,
    `  came     exit code ${exitCode ?? `none: ${stopped}`}`,
    ...(stdout.trim() === "" ? [] : [`  stdout   ${indented(compact(stdout))}`]),
    ...(stderr.trim() === "" ? [] : [`  stderr   ${indented(stderr)}`]),
  ];
}

function indented(text: string): string {
  return printable(text).trim().replaceAll("\n", "\n           ");
}

/** JSON on one line. */
function compact(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return text;
  }
}

/** The report as JSON. */
export function jsonOf(run: Run): string {
  const rows = rowsOf(run);
  return JSON.stringify({ plugin: run.plugin, total: totalOf(rows), notes: run.notes, cases: rows }, null, 2);
}

/** The report as JUnit XML, which continuous integration shows. */
export function junitOf(run: Run): string {
  const rows = rowsOf(run);
  const { failed, "not run": skipped } = totalOf(rows);
  const counts = `tests="${rows.length}" failures="${failed}" skipped="${skipped}"`;
  const name = `name="${escaped(`cni-conformance ${run.plugin}`)}"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuite ${name} ${counts}>`,
    ...rows.map(testCaseOf),
    "</testsuite>",
    "",
  ].join("\n");
}

function testCaseOf(row: Row): string {
  const start = `  <testcase classname="${row.version}" name="${escaped(row.name)}"`;
  if (row.outcome === "passed") return `${start}/>`;
  const message = `message="${escaped(row.reason)}"`;
  if (row.outcome === "not run") return `${start}><skipped ${message}/></testcase>`;
  return `${start}><failure ${message}>${escaped(blockOf(row))}</failure></testcase>`;
}

/** Text without characters that a terminal acts on, or that XML cannot have. */
function printable(text: string): string {
  return text.replaceAll(/(?![\t\n\r])[\p{Cc}\ufffe\uffff]/gu, "?");
}

/** Text for XML. */
function escaped(text: string): string {
  const marks: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
  return printable(text).replaceAll(/[&<>"]/g, (mark) => marks[mark] ?? "");
}

/** A word for a shell. */
function quoted(word: string): string {
  return /^[\w./:=,@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
