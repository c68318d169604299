import { compareVersions, type InstalledPlugin, type PluginFolder } from "../host/plugin-folder.ts";
import type { ListRule } from "../lint/rule.ts";
import type { ListedPlugin } from "../lists/list.ts";

/** All wrappers of a host are links to one executable. A copy is forgotten in an upgrade. */
export const mixedWrappers: ListRule = {
  of: "list",
  code: "mixed-wrappers",
  severity: "warning",
  title: "The wrappers of a list have several versions.",
  page: `All wrappers are links to one executable, \`cni-wrappers\`. If one of them is a copy, an upgrade does not reach it. The
wrappers of a list share a journal, so install one version of all.`,
  find({ plugins }, { plugins: folder }) {
    if (!folder) return [];
    const wrappers = plugins.flatMap((plugin) => wrapperOf(plugin, folder));
    const newest = wrappers.map(({ version }) => version).reduce(newer, "0");
    return wrappers
      .filter(({ version }) => compareVersions(version, newest) !== 0)
      .map(({ plugin: { path }, found, version }) => ({
        at: [...path, "type"],
        message: `${found.path} has version ${version}, and another wrapper of the list has ${newest}`,
        hint: "Make it a link to cni-wrappers",
      }));
  },
};

interface Wrapper {
  readonly plugin: ListedPlugin;
  readonly found: InstalledPlugin;
  readonly version: string;
}

function wrapperOf(plugin: ListedPlugin, folder: PluginFolder): readonly Wrapper[] {
  const found = folder.find(plugin.type);
  return found?.isWrapper && found.version !== undefined ? [{ plugin, found, version: found.version }] : [];
}

function newer(one: string, other: string): string {
  return compareVersions(one, other) < 0 ? other : one;
}
