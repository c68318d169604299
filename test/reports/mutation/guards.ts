import { readFileSync } from "node:fs";
import { join } from "node:path";
import { table } from "../../../build/docs/table.ts";
import { root } from "./bundle.ts";
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

/** The guards of some files as a table. */
export function guardTable(files: readonly string[]): string {
  const rows = files.flatMap((file) =>
    guardsOf(file, readFileSync(join(root, file), "utf8")).map(({ keeps }) => [keeps, `${file}`]),
  );
  return table(["what it is for", "where"], rows);
}
