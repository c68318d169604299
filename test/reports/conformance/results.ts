import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { isDeepStrictEqual } from "node:util";
import { conformanceCases } from "../../../conformance/cases.ts";
import { type SpecVersion, specVersions } from "../../../conformance/specification.ts";
import { jsonText } from "../../support/json-text.ts";
import { type Ended, executables } from "./run.ts";
import { setups } from "./setups.ts";

/** The results of the last `--write`. */
export interface Committed {
  /** The cases that run, by plugin. */
  readonly cases: Readonly<Record<string, readonly string[]>>;
  /** The failing versions, by case and plugin: of the plain plugins, and of the wrapped ones. */
  readonly plain: Failures;
  readonly wrapped: Failures;
}
export type Failures = Readonly<Record<string, Readonly<Record<string, readonly SpecVersion[]>>>>;

const file = path.join(import.meta.dirname, "results.json");

/** Reads the committed results. */
export function readCommitted(): Committed {
  return JSON.parse(readFileSync(file, "utf8"));
}

/** The results that a run leads to. */
export function committedOf(ended: readonly Ended[]): Committed {
  const names = Object.keys(setups).filter((plugin) => ended.some((each) => each.plugin === plugin));
  const cases = names.map((plugin) => [plugin, namesOf(ended.filter((each) => each.plugin === plugin))]);
  const plain = failures(ended.filter(isPlain));
  return {
    cases: Object.fromEntries(cases),
    plain,
    wrapped: failures(ended.filter((each) => !isPlain(each))),
  };
}

/** The cases that ran, in the order of the page. */
export function namesOf(ended: readonly Ended[]): string[] {
  return conformanceCases.map(({ name }) => name).filter((name) => ended.some((each) => each.name === name));
}

function failures(ended: readonly Ended[]): Failures {
  const failed = ended.filter(isFailed);
  const byCase = namesOf(failed).map((name) => {
    const own = failed.filter((each) => each.name === name);
    const plugins = Object.keys(setups).filter((plugin) => own.some((each) => each.plugin === plugin));
    return [name, Object.fromEntries(plugins.map((plugin) => [plugin, versionsOf(own, plugin)]))];
  });
  return Object.fromEntries(byCase);
}

function versionsOf(failed: readonly Ended[], plugin: string): SpecVersion[] {
  return specVersions.filter((version) => failed.some((each) => each.plugin === plugin && each.version === version));
}

/** Why the run fails, one sentence each. `whole`: the plugins that must agree with the committed results. */
export function problemsOf(ended: readonly Ended[], whole: readonly string[], list = readCommitted()): string[] {
  const plainFailures = new Set(ended.filter(isFailed).filter(isPlain).map(keyOf));
  const worse = ended
    .filter((each) => !isPlain(each) && isFailed(each) && !plainFailures.has(keyOf(each)))
    .map((each) => `worse than the plain plugin: ${lineOf(each)}`);
  const committed = only(list, whole);
  const found = only(committedOf(ended), whole);
  return [...worse, ...missingCases(committed, ended), ...outdated(committed, found)];
}

/** Says whether the plugin broke the rule. */
export function isFailed({ problem }: Ended): boolean {
  return problem !== "";
}

function isPlain({ executable }: Ended): boolean {
  return executable === "plain";
}

function keyOf({ plugin, name, version }: Ended): string {
  return [plugin, name, version].join();
}

function only(committed: Committed, plugins: readonly string[]): Committed {
  const own = <T>(all: Readonly<Record<string, T>>) =>
    Object.fromEntries(Object.entries(all).filter(([plugin]) => plugins.includes(plugin)));
  const ownFailures = (failures: Failures) =>
    Object.fromEntries(
      Object.entries(failures)
        .map(([name, failed]) => [name, own(failed)] as const)
        .filter(([, failed]) => Object.keys(failed).length > 0),
    );
  return { cases: own(committed.cases), plain: ownFailures(committed.plain), wrapped: ownFailures(committed.wrapped) };
}

/** Every executable must run every case of the list. */
function missingCases({ cases }: Committed, ended: readonly Ended[]): string[] {
  const run = new Set(ended.map(({ plugin, executable, name }) => `${plugin}, ${executable}: ${name}`));
  const wanted = (plugin: string) =>
    executables.filter(
      (each) => each === "plain" || ended.some(({ plugin: own, executable }) => own === plugin && executable === each),
    );
  return Object.entries(cases).flatMap(([plugin, names]) => {
    const own = wanted(plugin);
    const unwrapped = own.length === 1 ? [`not run: ${plugin}, wrapped`] : [];
    const all = names.flatMap((name) => own.map((executable) => `${plugin}, ${executable}: ${name}`));
    return [...unwrapped, ...all.filter((each) => !run.has(each)).map((each) => `not run: ${each}`)];
  });
}

function outdated(committed: Committed, found: Committed): string[] {
  return (["cases", "plain", "wrapped"] as const)
    .filter((part) => !isDeepStrictEqual(committed[part], found[part]))
    .map((part) => `results.json: "${part}" is not what this run found. "-- --write" renews it and the page.`);
}

/** The older results, with the newer ones for the plugins that these have. */
export function merged(older: Committed, newer: Committed): Committed {
  const staying = Object.keys(older.cases).filter((plugin) => !(plugin in newer.cases));
  const kept = only(older, staying);
  const failures = (part: "plain" | "wrapped"): Failures =>
    inOrder(
      conformanceCases.map(({ name }) => name),
      (name) => {
        const both = { ...kept[part][name], ...newer[part][name] };
        return Object.keys(both).length === 0 ? undefined : inOrder(Object.keys(setups), (plugin) => both[plugin]);
      },
    );
  const cases = { ...kept.cases, ...newer.cases };
  return {
    cases: inOrder(Object.keys(setups), (plugin) => cases[plugin]),
    plain: failures("plain"),
    wrapped: failures("wrapped"),
  };
}

function inOrder<T>(keys: readonly string[], find: (key: string) => T | undefined): Record<string, T> {
  return Object.fromEntries(
    keys.flatMap((key) => {
      const value = find(key);
      return value === undefined ? [] : [[key, value] as const];
    }),
  );
}

/** Replaces the committed results. */
export function writeCommitted(committed: Committed): void {
  writeFileSync(file, `${jsonText(committed)}\n`);
}

/** A plugin and which executable of it. */
export function titleOf({ plugin, executable }: Ended): string {
  return `${plugin}, ${executable}`;
}

/** One line about a broken rule. */
export function lineOf(each: Ended): string {
  return `${titleOf(each)}, ${each.version}, ${each.name}: ${each.problem.slice(0, 500)}`;
}
