import { readFileSync } from "node:fs";
import path from "node:path";
import type { CaseList } from "../support/case-list.ts";

/** Cases by test file. The names are those of `cases.json`. */
export type Selection = Readonly<Record<string, readonly string[]>>;

const pluginsFile = "plugins.test.ts";

/** The cases of this folder of tests whose `needs` in its `cases.json` is a feature of the kernel. */
export function kernelCases(folder: "e2e" | "runtimes"): Selection {
  const list: CaseList = JSON.parse(readFileSync(path.join(import.meta.dirname, "..", folder, "cases.json"), "utf8"));
  const files = Object.entries(list).map(([file, entries]): [string, string[]] => [
    file,
    entries.flatMap((entry) => (typeof entry !== "string" && entry.needs.endsWith(" in the kernel") ? entry.name : [])),
  ]);
  return Object.fromEntries(files.filter(([, names]) => names.length > 0));
}

/** Divides the cases into as many parts as there are names: each part gets every so-many-th case. */
export function inTurn(selection: Selection, parts: number): Selection[] {
  const all = Object.entries(selection).flatMap(([file, names]) => names.map((name) => [file, name] as const));
  return Array.from({ length: parts }, (_, part) => selectionOf(everyNth(all, part, parts)));
}

/** The cases of `plugins.test.ts`: the first one of each plugin, and the rest. */
export function oneOfEachPlugin(selection: Selection): { readonly ones: Selection; readonly rest: Selection } {
  const names = selection[pluginsFile] ?? [];
  const suites = names.map((name) => name.split(" > ")[0]);
  const isFirst = (_: string, index: number) => suites.indexOf(suites[index]) === index;
  return {
    ones: { [pluginsFile]: names.filter(isFirst) },
    rest: { ...selection, [pluginsFile]: names.filter((name, index) => !isFirst(name, index)) },
  };
}

/** The items of one of `parts`: every so-many-th. */
export function everyNth<T>(items: readonly T[], part: number, parts: number): T[] {
  return items.filter((_, index) => index % parts === part);
}

function selectionOf(cases: readonly (readonly [string, string])[]): Selection {
  const files = [...Map.groupBy(cases, ([file]) => file)];
  return Object.fromEntries(files.map(([file, own]) => [file, own.map(([, name]) => name)]));
}

/** The arguments of vitest that run exactly these cases. vitest puts a space between the names of suites and tests. */
export function vitestArguments(selection: Selection, folder: string): string[] {
  const names = Object.values(selection).flat();
  const pattern = names.map((name) => name.split(" > ").map(RegExp.escape).join("( >)? ")).join("|");
  return [...Object.keys(selection).map((file) => `test/${folder}/${file}`), "--testNamePattern", `^(${pattern})$`];
}
