import { profiles } from "../../plugins/index.ts";
import { delegateName } from "../../shared/call/call.ts";
import { editDistance, nearest } from "../../shared/protocol/spelling.ts";
import type { PluginRule } from "../lint/rule.ts";
import { isWrapperType } from "../lists/list.ts";

export const missingPlugin: PluginRule = {
  title: "A plugin or wrapper is not in `--cni-path`.",
  page: `The runtime looks for a file of the type's name in the directories of its \`cni_path\`. Without it, ADD fails:
\`failed to find plugin "bridge-wrapper" in path [/opt/cni/bin]\`. Install the plugin or the wrapper, or fix the type.`,
  findInPlugin({ type }, _, { plugins }) {
    if (!plugins || type === "" || type.includes("/") || plugins.find(type)) return undefined;
    const hint = isWrapperType(type) ? wrapperHint(type) : "Install the plugin there, or fix the type";
    return { at: ["type"], message: `no directory of --cni-path has ${type}`, hint };
  },
};

/** Returns what to do if a call failed because a wrapper is not there; undefined after any other error. */
export function missingWrapperCure(type: string, error: string): string | undefined {
  return isWrapperType(type) && error.startsWith(`failed to find plugin "${type}"`) ? wrapperHint(type) : undefined;
}

/** Only the wrappers of known plugins get a link without being asked for. */
function wrapperHint(type: string): string {
  const delegate = delegateName(type) ?? "";
  if (delegate === "" || Object.hasOwn(profiles, delegate))
    return "Install the wrappers there, with cni-wrappers install";
  const meant = nearest(delegate, Object.keys(profiles));
  if (editDistance(delegate, meant) <= 2) return `Did you mean "${meant}-wrapper"?`;
  return `If the plugin ${delegate} is there, cni-wrappers install --plugins ${delegate} makes its wrapper`;
}
