// Prints the steps that each wrapped plugin passes in each place of a chain, with the real plugins in private
// namespaces (root, Go). Plugins that this machine's kernel cannot run are tried in a second kernel. `--write` puts the
// table into docs/plugins.md. `--rows NAME,NAME` prints these rows as JSON.

import { writeSection } from "../../../build/docs/page-section.ts";
import { table } from "../../../build/docs/table.ts";
import { profiles } from "../../../plugins/index.ts";
import { rerunInSecondKernel } from "../../kernel/second-kernel.ts";
import { given, text } from "../../support/given.ts";
import { isPossible } from "../../support/needs.ts";
import type { PluginCase } from "./case.ts";
import { loadCases, type Position, positions, steps, tryOut } from "./positions.ts";

const values = given({ write: false, rows: text });
const cases = await loadCases();

if (values.rows === undefined) {
  const text = table(["plugin", ...positions, "the fault"], await allRows());
  process.stdout.write(`${text}\n`);
  if (values.write) writeSection("plugins", text);
} else {
  process.stdout.write(JSON.stringify(await rowsOf(values.rows.split(","))));
}

async function allRows(): Promise<string[][]> {
  const names = Object.keys(profiles);
  const here = names.filter((name) => isPossible(cases[name]));
  const elsewhere = names.filter((name) => !here.includes(name));
  const rows = [...(await rowsOf(here)), ...(await rowsInSecondKernel(elsewhere))];
  if (rows.length !== names.length) throw new Error(`${rows.length} rows for ${names.length} plugins`);
  const order = ([title = ""]: string[]) => names.findIndex((name) => title.startsWith(`[${name}]`));
  return rows.toSorted((one, other) => order(one) - order(other));
}

async function rowsInSecondKernel(names: readonly string[]): Promise<string[][]> {
  return names.length === 0 ? [] : rerunInSecondKernel(import.meta.filename, ["--rows", names.join()]);
}

async function rowsOf(names: readonly string[]): Promise<string[][]> {
  const rows: string[][] = [];
  for (const name of names) {
    const given = cases[name];
    if (given === undefined) throw new Error(`no case for ${name}`);
    const cells = [];
    for (const position of positions) cells.push(await cell(name, given, position));
    rows.push([`[${name}](../plugins/${name}/README.md)`, ...cells, given.fault.words]);
  }
  return rows;
}

/** A mark for each step. Errors go to stderr. */
async function cell(name: string, given: PluginCase, position: Position): Promise<string> {
  const found = await tryOut(given, position);
  for (const step of steps) if (found[step]) process.stderr.write(`${name}, ${position}, ${step}: ${found[step]}\n`);
  const marks = steps.map((step) => (found[step] === undefined ? "–" : found[step] === "" ? "✓" : "✗"));
  process.exitCode = marks.every((mark) => mark === "✓") ? process.exitCode : 1;
  return marks.join(" ");
}
