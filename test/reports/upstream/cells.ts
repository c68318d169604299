import { specVersions } from "../../../conformance/specification.ts";
import { hostHas } from "../../support/needs.ts";
import { committedOf, readCommitted } from "../conformance/results.ts";
import { runPlugin } from "../conformance/run.ts";
import { setups } from "../conformance/setups.ts";

/** A cell of docs/conformance.md: "case: plugin". */
export type Cell = string;

/** Runs the cases with patched plugins. Returns the cells that differ from the committed ones of the plain plugins. */
export async function changedCells(directory: string, plugins: readonly string[]) {
  const here = plugins.filter((plugin) => {
    const needs = setups[plugin]?.needs;
    return plugin in setups && (needs === undefined || hostHas[needs]);
  });
  const ended = (
    await Promise.all(here.map((plugin) => runPlugin(plugin, "plain", specVersions, { directory })))
  ).flat();
  const after = committedOf(ended).plain;
  const before = readCommitted().plain;
  const versions = (failures: typeof before, name: string, plugin: string) => failures[name]?.[plugin]?.join() ?? "";
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const cells = names.flatMap((name) =>
    here
      .filter((plugin) => versions(before, name, plugin) !== versions(after, name, plugin))
      .map((plugin) => `${name}: ${plugin}${versions(after, name, plugin) && " fails"}`),
  );
  return { cells, run: here };
}
