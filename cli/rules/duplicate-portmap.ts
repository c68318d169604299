import type { PluginRule } from "../lint/rule.ts";
import { firstPortOf, hasCapability, isRewritten, type ListedPlugin } from "../lists/list.ts";

export const duplicatePortmap: PluginRule = {
  severity: "warning",
  title: "Two portmaps publish the same ports.",
  page: `The runtime hands all published ports to each portmap of a list. Two portmaps then publish each port twice, and only the
first one's rules count. Divide the ports: \`"ports": { "except": [443] }\` in one \`wrapper\` block, and
\`"ports": { "only": [443] }\` in the other. See [published ports](configuration.md#published-ports).`,
  findInPlugin(plugin, { plugins }) {
    const portOf = (other: ListedPlugin) => (isComparable(other) ? firstPortOf([plugin, other]) : undefined);
    const earlier = plugins.slice(0, plugin.index).find((other) => portOf(other) !== undefined);
    if (!earlier || !isComparable(plugin)) return undefined;
    const hasPorts = plugin.wrapper.ports !== undefined;
    const hasBoth = hasPorts && earlier.wrapper.ports !== undefined;
    const what = hasBoth ? `publish container port ${portOf(earlier)}` : "publish the same ports";
    return {
      at: hasPorts ? ["wrapper", "ports"] : ["type"],
      message: `this ${plugin.type} and the ${earlier.type} before it ${what}, and only the first one's rules count`,
      hint: 'Divide the ports with "ports" in their wrapper blocks: "only" in one, "except" in the other',
    };
  },
};

// `conditionsV4` and `conditionsV6` choose packets in another way.
function isComparable(plugin: ListedPlugin): boolean {
  const { delegate, configuration } = plugin;
  const isSimple = configuration.conditionsV4 === undefined && configuration.conditionsV6 === undefined;
  return delegate === "portmap" && hasCapability(plugin, "portMappings") && isSimple && !isRewritten(plugin);
}
