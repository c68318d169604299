import path from "node:path";
import { specVersions } from "../../../conformance/specification.ts";
import { rerunInSecondKernel } from "../../kernel/second-kernel.ts";
import { hostHas } from "../../support/needs.ts";
import { committedOf, readCommitted } from "../conformance/results.ts";
import { type Ended, runPlugin } from "../conformance/run.ts";
import { setups } from "../conformance/setups.ts";

/** A cell of docs/conformance.md: "case: plugin". */
export type Cell = string;

const conformance = path.resolve(import.meta.dirname, "../conformance/conformance.ts");

/** Runs the cases with patched plugins. Returns the cells that differ from the committed ones of the plain plugins. */
export async function changedCells(directory: string, plugins: readonly string[]) {
  const run = plugins.filter((plugin) => plugin in setups);
  const here = run.filter(isPossible);
  const elsewhere = run.filter((plugin) => !isPossible(plugin));
  const ended = (await Promise.all([runHere(directory, here), runInSecondKernel(directory, elsewhere)])).flat();
  const after = committedOf(ended).plain;
  const before = readCommitted().plain;
  const versions = (failures: typeof before, name: string, plugin: string) => failures[name]?.[plugin]?.join() ?? "";
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const cells = names.flatMap((name) =>
    run
      .filter((plugin) => versions(before, name, plugin) !== versions(after, name, plugin))
      .map((plugin) => `${name}: ${plugin}${versions(after, name, plugin) && " fails"}`),
  );
  return { cells, run };
}

function isPossible(plugin: string): boolean {
  const needs = setups[plugin]?.needs;
  return needs === undefined || hostHas[needs];
}

async function runHere(directory: string, plugins: readonly string[]): Promise<Ended[]> {
  return (await Promise.all(plugins.map((plugin) => runPlugin(plugin, "plain", specVersions, { directory })))).flat();
}

/** Runs the cases of the plugins that this machine's kernel lacks. */
async function runInSecondKernel(directory: string, plugins: readonly string[]): Promise<Ended[]> {
  if (plugins.length === 0) return [];
  const tasks = JSON.stringify(plugins.map((plugin) => [plugin, "plain"]));
  return rerunInSecondKernel<Ended[]>(conformance, ["--tasks", tasks, "--plugins", directory]);
}
