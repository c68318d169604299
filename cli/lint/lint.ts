import { type List, type ListedPlugin, listOf } from "../lists/list.ts";
import { keyAt, type ListFile, type Position, positionOf, valueAt } from "../lists/list-file.ts";
import { rules } from "../rules/index.ts";
import type { Context, Found, FoundAt, PluginRule, Rule, Severity } from "./rule.ts";

/** One finding, with everything that a report needs. */
export interface Finding extends Found {
  readonly file: ListFile;
  readonly position: Position;
  /** The position after the last marked character. */
  readonly end: Position;
  readonly severity: Severity;
  readonly code: string;
}

/** What the rules may look at, and which of them apply. Without `isAsked`, all do. */
export interface Scope extends Omit<Context, "lists"> {
  readonly isAsked?: (rule: Rule) => boolean;
}

/** Applies the rules. A file's findings are in the order of their places, the host's come last. `report` is called after each file. */
export function lintFiles(
  files: readonly ListFile[],
  { isAsked = () => true, ...around }: Scope = {},
  report: (done: number) => void = () => {},
): readonly Finding[] {
  const asked = rules.filter(isAsked);
  const lists = new Map(files.map((file) => [file, file.errors.length > 0 ? undefined : listOf(file)]));
  const context = { ...around, lists: [...lists.values()].filter((list) => list !== undefined) };
  const inFiles = files.flatMap((file, index) => {
    const found = asked.flatMap((rule) =>
      foundBy(rule, file, lists.get(file), context).map((one) => findingOf(one, file, rule)),
    );
    report(index + 1);
    return found.sort((one, other) => one.place.offset - other.place.offset);
  });
  return [...inFiles, ...asked.flatMap((rule) => findingsOnHost(rule, context))];
}

function foundBy(rule: Rule, file: ListFile, list: List | undefined, context: Context): readonly Found[] {
  if ("findInFile" in rule) return rule.findInFile(file);
  if ("findOnHost" in rule || !list) return [];
  const found =
    "findInList" in rule
      ? [rule.findInList(list, context) ?? []].flat()
      : list.plugins.flatMap((plugin) => inPlugin(rule.findInPlugin(plugin, list, context), plugin));
  return found.map((one) => foundAt(one, file));
}

function inPlugin(found: ReturnType<PluginRule["findInPlugin"]>, { path }: ListedPlugin): readonly FoundAt[] {
  return [found ?? []].flat().map((one) => ({ ...one, at: [...path, ...one.at] }));
}

function foundAt({ at, isKey, instead, ...found }: FoundAt, file: ListFile): Found {
  const place = (isKey ? keyAt : valueAt)(file, [...at]);
  return { ...found, place, ...(instead !== undefined && { fix: [{ ...place, content: instead }] }) };
}

function findingOf(found: Found, file: ListFile, { severity, code }: Rule): Finding {
  const { offset, length } = found.place;
  return { ...found, file, position: positionOf(file, offset), end: positionOf(file, offset + length), severity, code };
}

function findingsOnHost(rule: Rule, context: Context): readonly Finding[] {
  if (!("findOnHost" in rule)) return [];
  const place = { offset: 0, length: 0 };
  return rule.findOnHost(context).map(({ path, ...found }) => {
    return findingOf({ ...found, place }, { path, text: "", tree: undefined, errors: [] }, rule);
  });
}
