import path from "node:path";
import { type SpecVersion, specVersions } from "../../../conformance/specification.ts";
import { ownCpus, rerunInSecondKernel } from "../../kernel/second-kernel.ts";
import { isPossible } from "../../support/needs.ts";
import { committedOf } from "../conformance/results.ts";
import { type Ended, runPlugin } from "../conformance/run.ts";
import { setups } from "../conformance/setups.ts";

/** A cell of docs/conformance.md: "case: plugin". */
export type Cell = string;

const conformance = path.resolve(import.meta.dirname, "../conformance/conformance.ts");

/** The cases of the plugins of a release: they do not change between patches. */
const known = new Map<string, Ended[]>();

/**
 * Runs the cases with the plugins of a release and with patched ones. Returns the cells that differ. `versions`: those
 * of the second kernel, which is slow.
 */
export async function changedCells(
  released: string,
  patched: string,
  plugins: readonly string[],
  versions: readonly SpecVersion[],
) {
  const run = plugins.filter((plugin) => plugin in setups);
  const missing = run.filter((plugin) => !known.has(plugin));
  for (const [plugin, ended] of Map.groupBy(await runAll(released, missing, versions), ({ plugin }) => plugin)) {
    known.set(plugin, ended);
  }
  const isTried = ({ plugin, version }: Ended) => isPossible(setups[plugin]) || versions.includes(version);
  const before = committedOf(run.flatMap((plugin) => known.get(plugin) ?? []).filter(isTried)).plain;
  const after = committedOf(await runAll(patched, run, versions)).plain;
  const failing = (failures: typeof before, name: string, plugin: string) => failures[name]?.[plugin]?.join() ?? "";
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const cells = names.flatMap((name) =>
    run
      .filter((plugin) => failing(before, name, plugin) !== failing(after, name, plugin))
      .map((plugin) => `${name}: ${plugin}${failing(after, name, plugin) && " fails"}`),
  );
  return { cells, run };
}

async function runAll(
  directory: string,
  plugins: readonly string[],
  versions: readonly SpecVersion[],
): Promise<Ended[]> {
  const here = plugins.filter((plugin) => isPossible(setups[plugin]));
  const elsewhere = plugins.filter((plugin) => !here.includes(plugin));
  return (await Promise.all([runHere(directory, here), runInSecondKernel(directory, elsewhere, versions)])).flat();
}

async function runHere(directory: string, plugins: readonly string[]): Promise<Ended[]> {
  return (await Promise.all(plugins.map((plugin) => runPlugin(plugin, "plain", specVersions, { directory })))).flat();
}

/** Runs the cases of the plugins that this machine's kernel lacks. A kernel uses one CPU, so each plugin has one. */
async function runInSecondKernel(
  directory: string,
  plugins: readonly string[],
  versions: readonly SpecVersion[],
): Promise<Ended[]> {
  const cpus = ownCpus();
  const ended = plugins.map((plugin, index) => {
    const tasks = JSON.stringify([[plugin, "plain"]]);
    const given = ["--tasks", tasks, "--plugins", directory, "--spec", versions.join()];
    return rerunInSecondKernel<Ended[]>(conformance, given, cpus[index % cpus.length]);
  });
  return (await Promise.all(ended)).flat();
}
