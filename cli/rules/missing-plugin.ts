import type { PluginRule } from "../lint/rule.ts";
import { isWrapperType } from "../lists/list.ts";

/** A runtime looks for a plugin by its type, in the directories of CNI_PATH. */
export const missingPlugin: PluginRule = {
  of: "plugin",
  code: "missing-plugin",
  severity: "error",
  title: "A plugin or wrapper is not in `--cni-path`.",
  page: `The runtime looks for a file of the type's name in the directories of its \`cni_path\`. Without it, ADD fails:
\`failed to find plugin "bridge-wrapper" in path [/opt/cni/bin]\`. Install the plugin or the wrapper, or fix the type.`,
  find({ type }, _, { plugins }) {
    if (!plugins || type === "" || type.includes("/") || plugins.find(type)) return undefined;
    const hint = isWrapperType(type) ? "Install the wrappers there" : "Install the plugin there, or fix the type";
    return { at: ["type"], message: `no directory of --cni-path has ${type}`, hint };
  },
};
