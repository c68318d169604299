import { readFileSync } from "node:fs";
import { table } from "../../../build/docs/table.ts";
import { type Fault, patchOf } from "./faults.ts";
import type { Verdict } from "./verdict.ts";

/** The last run of each patch, by its name. */
export type Results = Readonly<
  Record<string, Verdict & { readonly cells: readonly string[]; readonly run: readonly string[] }>
>;

/** The page's table: a row for each fault, and one for all patches together. */
export function tableOf(faults: readonly Fault[], results: Results): string {
  const rows = faults.map((fault) => {
    const [fix, tests] = addedLines(readFileSync(patchOf(fault), "utf8"));
    const link = `[${fault.title}](../upstream/${fault.name}/README.md)`;
    return [link, `${fix} + ${tests}`, ...outcome(results[fault.name], fault.obstacle), fault.workaround, ""];
  });
  const all = outcome(results["all together"], undefined);
  const head = [
    "fault",
    "added lines: fix + tests",
    "their suites",
    "cells of conformance",
    "the workaround that can go",
    "address of the report",
  ];
  return table(head, [...rows, ["all patches of the plugins together", "", ...all, "", ""]]);
}

function outcome(result: Results[string] | undefined, obstacle: string | undefined): [string, string] {
  if (result === undefined) return [obstacle ?? "not run", "not run"];
  const { fixed, unchanged, neverPass, problems, cells } = result;
  const rest = neverPass === 0 ? "" : `, ${neverPass} fail before and after`;
  const broken = problems.length === 0 ? "" : `, **${problems.length} problems**`;
  return [`${fixed} new: fail, then pass; ${unchanged} pass as before${rest}${broken}`, cells.join("; ") || "none"];
}

/** The lines that a patch adds: of code, and of tests. */
export function addedLines(patch: string): [number, number] {
  const parts = patch.split(/^diff --git /m).slice(1);
  const isTest = (part: string) => /^\S+_test\.go |^\S+testutils\//.test(part);
  const count = (some: readonly string[]) => some.join("\n").match(/^\+(?!\+\+ )/gm)?.length ?? 0;
  return [count(parts.filter((part) => !isTest(part))), count(parts.filter(isTest))];
}
