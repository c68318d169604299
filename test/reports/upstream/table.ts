import { table } from "../../../build/docs/table.ts";
import { digestOf, type Fault, partsOf, togetherOf } from "./faults.ts";
import type { Verdict } from "./verdict.ts";

/** The last run of each patch, by its name. */
export type Results = Readonly<
  Record<
    string,
    Verdict & { readonly cells: readonly string[]; readonly run: readonly string[]; readonly patch: string }
  >
>;

/** The addresses of sent reports that a person put into the page's table, by the link to our report. */
export type Addresses = Readonly<Record<string, string>>;

/** The page's table: a row for each fault, and one for all patches together. */
export function tableOf(faults: readonly Fault[], results: Results, addresses: Addresses): string {
  const rows = faults.map((fault) => {
    const [fix, tests] = addedLines(partsOf(fault).changes);
    const report = `../upstream/${fault.name}/README.md`;
    const [suites, cells] = outcome(results[fault.name], [fault]);
    const address = addresses[report] ?? "";
    return [`[${fault.title}](${report})`, `${fix} + ${tests}`, suites, cells, fault.workaround, address];
  });
  const [suites, cells] = outcome(results.together, togetherOf(faults));
  const all = [suites, cells === "not run" ? cells : `those of the rows above: ${results.together?.cells.length}`];
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

/** The addresses in the last column of the page's table. */
export function addressesIn(section: string): Addresses {
  const rows = section.split("\n").map((line) => line.split("|").map((cell) => cell.trim()));
  return Object.fromEntries(rows.map((cells) => [/\]\((.*)\)$/.exec(cells[1] ?? "")?.[1] ?? "", cells.at(-2) ?? ""]));
}

/** The cells about a run. A result of patches that changed since then does not count. */
function outcome(result: Results[string] | undefined, faults: readonly Fault[]): [string, string] {
  if (result?.patch !== digestOf(faults)) return ["not run", "not run"];
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
