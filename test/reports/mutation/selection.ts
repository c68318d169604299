import { matchesGlob } from "node:path";
import type { Mutant } from "./mutants.ts";

/** The lines of each file that a diff without context (`git diff --unified=0`) adds or changes. */
export type ChangedLines = ReadonlyMap<string, readonly (readonly [first: number, last: number])[]>;

/** Reads such a diff. For a removed line, the line that took its place counts as changed. */
export function changedLines(diff: string): ChangedLines {
  const changed = new Map<string, (readonly [number, number])[]>();
  let file = "";
  for (const line of diff.split("\n")) {
    if (line.startsWith("+++ ")) file = line.slice("+++ b/".length);
    const hunk = /^@@ -\S+ \+(\d+)(?:,(\d+))? @@/.exec(line);
    if (hunk === null) continue;
    const [first, count] = [Number(hunk[1]), Number(hunk[2] ?? 1)];
    changed.set(file, [...(changed.get(file) ?? []), [first, first + Math.max(count, 1) - 1]]);
  }
  return changed;
}

/** Whether a mutant changes one of these lines. */
export function isChanged({ file, lines: [first, last] }: Mutant, changed: ChangedLines): boolean {
  return (changed.get(file) ?? []).some((range) => first <= range[1] && last >= range[0]);
}

/** Whether a file matches one of the patterns. */
export function matchesAny(file: string, globs: readonly string[]): boolean {
  return globs.some((glob) => matchesGlob(file, glob));
}
