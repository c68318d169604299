// Prints the steps that each wrapped plugin passes in each place of a chain, with the real plugins in private
// namespaces (root, Go). `--write` puts the table into docs/plugins.md.
import process from "node:process";
import { profiles } from "../../../plugins/index.ts";
import { hostHas } from "../../support/needs.ts";
import { writeSection } from "../../support/page-section.ts";
import { table } from "../../support/table.ts";
import type { PluginCase } from "./case.ts";
import { loadCases, type Position, positions, steps, tryOut } from "./positions.ts";

const cases = await loadCases();
const rows: string[][] = [];
for (const name of Object.keys(profiles)) {
  const given = cases[name];
  if (given === undefined) throw new Error(`no case for ${name}`);
  const cells = [];
  for (const position of positions) cells.push(await cell(name, given, position));
  rows.push([`[${name}](../plugins/${name}/README.md)`, ...cells, given.fault.words]);
}
const text = table(["plugin", ...positions, "the fault"], rows);
process.stdout.write(`${text}\n`);
if (process.argv.includes("--write")) writeSection("plugins", text);

/** A mark for each step. Errors go to stderr. */
async function cell(name: string, given: PluginCase, position: Position): Promise<string> {
  if (given.needs && !hostHas[given.needs]) return "source";
  const found = await tryOut(given, position);
  for (const step of steps) if (found[step]) process.stderr.write(`${name}, ${position}, ${step}: ${found[step]}\n`);
  const marks = steps.map((step) => (found[step] === undefined ? "–" : found[step] === "" ? "✓" : "✗"));
  process.exitCode = marks.every((mark) => mark === "✓") ? process.exitCode : 1;
  return marks.join(" ");
}
