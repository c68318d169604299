import path from "node:path";
import { specVersions } from "../../../conformance/specification.ts";
import { ownCpus, rerunInSecondKernel } from "../../kernel/second-kernel.ts";
import { hostHas } from "../../support/needs.ts";
import { committedOf } from "../conformance/results.ts";
import { type Ended, runPlugin } from "../conformance/run.ts";
import { setups } from "../conformance/setups.ts";

/** A cell of docs/conformance.md: "case: plugin". */
export type Cell = string;

const conformance = path.resolve(import.meta.dirname, "../conformance/conformance.ts");

/** The cases of the plugins of a release: they do not change between patches. */
const known = new Map<string, Ended[]>();

/** Runs the cases with the plugins of a release and with patched ones. Returns the cells that differ. */
export async function changedCells(released: string, patched: string, plugins: readonly string[]) {
  const run = plugins.filter((plugin) => plugin in setups);
  const missing = run.filter((plugin) => !known.has(plugin));
  for (const [plugin, ended] of Map.groupBy(await runAll(released, missing), ({ plugin }) => plugin)) {
    known.set(plugin, ended);
  }
  const before = committedOf(run.flatMap((plugin) => known.get(plugin) ?? [])).plain;
  const after = committedOf(await runAll(patched, run)).plain;
  const versions = (failures: typeof before, name: string, plugin: string) => failures[name]?.[plugin]?.join() ?? "";
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const cells = names.flatMap((name) =>
    run
      .filter((plugin) => versions(before, name, plugin) !== versions(after, name, plugin))
      .map((plugin) => `${name}: ${plugin}${versions(after, name, plugin) && " fails"}`),
  );
  return { cells, run };
}

async function runAll(directory: string, plugins: readonly string[]): Promise<Ended[]> {
  const here = plugins.filter(isPossible);
  const elsewhere = plugins.filter((plugin) => !isPossible(plugin));
  return (await Promise.all([runHere(directory, here), runInSecondKernel(directory, elsewhere)])).flat();
}

function isPossible(plugin: string): boolean {
  const needs = setups[plugin]?.needs;
  return needs === undefined || hostHas[needs];
}

async function runHere(directory: string, plugins: readonly string[]): Promise<Ended[]> {
  return (await Promise.all(plugins.map((plugin) => runPlugin(plugin, "plain", specVersions, { directory })))).flat();
}

/** Runs the cases of the plugins that this machine's kernel lacks. A kernel uses one CPU, so each plugin has one. */
async function runInSecondKernel(directory: string, plugins: readonly string[]): Promise<Ended[]> {
  const cpus = ownCpus();
  const ended = plugins.map((plugin, index) => {
    const tasks = JSON.stringify([[plugin, "plain"]]);
    const given = ["--tasks", tasks, "--plugins", directory];
    return rerunInSecondKernel<Ended[]>(conformance, given, cpus[index % cpus.length]);
  });
  return (await Promise.all(ended)).flat();
}
