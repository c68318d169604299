import { isDeepStrictEqual } from "node:util";
import type { Counts } from "./suites.ts";

/** What the suites say about a patch. */
export interface Verdict {
  /** Tests of the patch that failed without it and pass with it. */
  readonly fixed: number;
  /** Tests that pass without the patch and with it. */
  readonly unchanged: number;
  /** Tests that fail without the patch and with it: no kernel here has what they need. */
  readonly neverPass: number;
  readonly problems: readonly string[];
}

/** Three runs of the same suites. */
export interface Runs {
  readonly base: Counts;
  readonly tests: Counts;
  readonly patched: Counts;
}

/** Compares three runs: the new tests must fail, then pass, and no other test may change. */
export function verdictOf({ base, tests, patched }: Runs, wanted: readonly string[]): Verdict {
  const added = Object.keys(patched).filter((name) => !(name in base));
  const isWanted = (name: string) => wanted.some((words) => name.includes(words));
  const passes = (counts: Counts, name: string) => (counts[name]?.total ?? 0) > 0 && all(counts[name]);
  const problems = [
    ...wanted.filter((words) => !added.some((name) => name.includes(words))).map((words) => `no new test "${words}"`),
    ...added.filter((name) => !isWanted(name)).map((name) => `a new test that fault.json does not name: ${name}`),
    ...added.filter((name) => !(name in tests)).map((name) => `not run without the fix: ${name}`),
    ...added.filter((name) => passes(tests, name)).map((name) => `passes without the fix: ${name}`),
    ...added.filter((name) => !passes(patched, name)).map((name) => `fails with the fix: ${name}`),
    ...Object.keys(base)
      .filter((name) => !isDeepStrictEqual(base[name], patched[name]))
      .map((name) => `changed: ${name}: ${shown(base, name)} before, ${shown(patched, name)} after`),
  ];
  const sum = (part: (count: Counts[string]) => number) =>
    Object.values(base).reduce((total, count) => total + part(count), 0);
  return {
    fixed: added.filter((name) => name in tests && !passes(tests, name) && passes(patched, name)).length,
    unchanged: sum(({ passed }) => passed),
    neverPass: sum(({ passed, total }) => total - passed),
    problems,
  };
}

function all(count: Counts[string] | undefined): boolean {
  return count !== undefined && count.passed === count.total;
}

function shown(counts: Counts, name: string): string {
  const count = counts[name];
  return count === undefined ? "missing" : `${count.passed} of ${count.total} pass`;
}
