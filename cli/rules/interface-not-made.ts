import type { PluginRule } from "../lint/rule.ts";
import { creatorFor, creatorsOf, type List, type ListedPlugin, mayBeMadeBefore, runsCheck } from "../lists/list.ts";

export const interfaceNotMade: PluginRule = {
  title: "A plugin acts on an interface that no plugin before it makes.",
  page: `portmap, tuning, bandwidth, firewall, sbr and vrf act on an interface that exists. A plain one at the beginning of the
list has no earlier result (\`must be called as chained plugin\`). A wrapped one whose \`ifName\` no earlier plugin makes fails
with code 103 (\`interface eth2 is not in prevResult\`). A plain one acts on the runtime's interface, which a list does not make if
each interface plugin has an \`ifName\`. Put it after its interface plugin, or correct \`ifName\`.`,
  findInPlugin(plugin, list) {
    if (!isLost(list, plugin)) return undefined;
    const { type, ifName, index, wrapper } = plugin;
    const later = creatorsOf(list).find((creator) => creator.index > index && creator.ifName === ifName);
    const made = creatorsOf({ plugins: list.plugins.slice(0, index) }).map((creator) => creator.ifName);
    const names = made.length > 0 ? `Earlier plugins make ${made.join(", ")}` : "Put it after an interface plugin";
    return {
      at: wrapper.ifName === undefined ? ["type"] : ["wrapper", "ifName"],
      message: `no plugin before ${type} makes ${ifName}`,
      hint: later ? `Put it after ${later.type}, which makes ${ifName}` : names,
    };
  },
};

function isLost(list: List, plugin: ListedPlugin): boolean {
  const { role, isWrapped, index, delegate } = plugin;
  if (role !== "meta") return false;
  if (!isWrapped && index === 0) return list.hasPlugins;
  // firewall takes all addresses. loopback alone is for `lo`, which a runtime may ask for.
  const isForOne = /^(?:tuning|bandwidth|sbr|vrf)$/.test(delegate) && creatorsOf(list).some((one) => one.index < index);
  if (!isWrapped && !(isForOne && runsCheck(list))) return false;
  return creatorFor(list, plugin) === undefined && !mayBeMadeBefore(list, plugin.index);
}
