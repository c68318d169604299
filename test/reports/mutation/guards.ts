import { table } from "../../../build/docs/table.ts";
import type { Mutant } from "./mutants.ts";

/** A condition that keeps something from being removed, overwritten, executed or called good: `// guard: <what>`. */
export interface Guard {
  readonly file: string;
  /** The line of the condition, counted from 1. */
  readonly line: number;
  /** What happens without it. */
  readonly keeps: string;
}

/** The guards of a source. The comment is on the condition's line or on the one before. */
export function guardsOf(file: string, source: string): Guard[] {
  return source.split("\n").flatMap((text, index) => {
    const [, code = "", keeps] = /^(.*?)\/\/ guard: (.+)$/.exec(text) ?? [];
    return keeps === undefined ? [] : { file, line: code.trim() === "" ? index + 2 : index + 1, keeps };
  });
}

const conditions = ["LogicalExpression", "BinaryExpression", "UnaryExpression", "CallExpression"];

/** The mutants of a guard: its condition is true or false, lacks a part, or has another operator. */
export function mutantsAt({ file, line }: Guard, mutants: readonly Mutant[]): Mutant[] {
  return mutants.filter(({ file: its, lines: [first], type, replacement }) => {
    const isConstant = ["true", "false"].includes(replacement) && type !== "BooleanLiteral";
    return its === file && first === line && (isConstant || conditions.includes(type));
  });
}

/** The guards as a table, by folder. */
export function guardTable(guards: readonly (Guard & { readonly place: string })[]): string {
  return table(
    ["without it", "file", "in"],
    guards.map(({ keeps, file, place }) => [keeps, `\`${file}\``, `\`${place}\``]),
  );
}
