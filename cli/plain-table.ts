import Table from "cli-table3";
import { oneLine } from "./terminal.ts";

const noLines = Object.fromEntries(
  ["top", "top-mid", "top-left", "top-right", "bottom", "bottom-mid", "bottom-left", "bottom-right", "left", "left-mid"]
    .concat(["mid", "mid-mid", "right", "right-mid"])
    .map((name) => [name, ""]),
);

/** A table without lines, whose columns are as wide as their texts. */
export function plainTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const table = new Table({
    head: [...head],
    chars: { ...noLines, middle: "  " },
    style: { head: [], border: [], "padding-left": 0, "padding-right": 0 },
  });
  for (const row of rows) table.push(row.map(oneLine));
  return table.toString().replace(/ +$/gm, "");
}
