import { compareVersions } from "../host/plugin-folder.ts";
import type { PluginFolder } from "../host/read-plugin-folder.ts";
import type { PluginRule } from "../lint/rule.ts";

export const mixedWrappers: PluginRule = {
  severity: "warning",
  title: "The wrappers of a list have several versions.",
  page: `All wrappers are links to one executable, \`cni-wrappers\`. If one of them is a copy, an upgrade does not reach it. The
wrappers of a list share a journal, so install one version of all.`,
  findInPlugin({ type }, { plugins }, { plugins: folder }) {
    const own = wrapperOf(type, folder);
    const versions = plugins.map((plugin) => wrapperOf(plugin.type, folder)?.version ?? "0");
    const newest = versions.sort(compareVersions).at(-1) ?? "0";
    if (!own || compareVersions(own.version, newest) === 0) return undefined;
    const message = `${own.path} has version ${own.version}, and another wrapper of the list has ${newest}`;
    return { at: ["type"], message, hint: "Make it a link to cni-wrappers" };
  },
};

function wrapperOf(type: string, folder: PluginFolder | undefined) {
  const found = folder?.find(type);
  return found?.isWrapper && found.version !== undefined ? { path: found.path, version: found.version } : undefined;
}
