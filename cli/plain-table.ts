import Table from "cli-table3";
import { escaped, oneLine } from "./terminal.ts";

const noLines = Object.fromEntries(Object.keys(new Table().options.chars).map((name) => [name, ""]));

/** The order of two rows by their texts. */
export function compared(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}

/** A table without lines, whose columns are as wide as their texts. */
export function plainTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const table = new Table({
    head: [...head],
    chars: { ...noLines, middle: "  " },
    style: { head: [], border: [], "padding-left": 0, "padding-right": 0 },
  });
  for (const row of rows) table.push(row.map((cell) => escaped(oneLine(cell))));
  // The table ends each style once more, in its own way.
  return table.toString().replaceAll("\u001b[39m", "").replace(/ +$/gm, "");
}
