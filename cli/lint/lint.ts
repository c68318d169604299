import { type List, listOf } from "../lists/list.ts";
import { type ListFile, type Position, positionOf } from "../lists/list-file.ts";
import { rules } from "../rules/index.ts";
import type { Context, Found, Rule, Severity } from "./rule.ts";

/** One finding, with everything that a report needs. */
export interface Finding extends Found {
  readonly file: ListFile;
  readonly position: Position;
  /** The position after the last marked character. */
  readonly end: Position;
  readonly severity: Severity;
  readonly code: string;
}

/** Applies all rules to the files. The findings of a file are in the order of their places. */
export function lintFiles(files: readonly ListFile[], around: Omit<Context, "lists"> = {}): readonly Finding[] {
  const lists = new Map(files.map((file) => [file, file.errors.length > 0 ? undefined : listOf(file)]));
  const context = { ...around, lists: [...lists.values()].filter((list) => list !== undefined) };
  return files.flatMap((file) => {
    const found = rules.flatMap((rule) => findingsOf(rule, file, lists.get(file), context));
    return found.sort((one, other) => one.place.offset - other.place.offset);
  });
}

function findingsOf(rule: Rule, file: ListFile, list: List | undefined, context: Context): readonly Finding[] {
  const found = rule.of === "file" ? rule.find(file) : list ? rule.find(list, context) : [];
  const { severity, code } = rule;
  return found.map((one) => {
    const { offset, length } = one.place;
    return { ...one, file, position: positionOf(file, offset), end: positionOf(file, offset + length), severity, code };
  });
}
