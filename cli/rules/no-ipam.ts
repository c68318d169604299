import type { PluginRule } from "../lint/rule.ts";
import { isRewritten, mayBeMadeBefore } from "../lists/chain.ts";
import { hasIpam } from "../lists/ipam.ts";

export const noIpam: PluginRule = {
  title: "ptp, vlan or ipvlan has no ipam.",
  page: `bridge, macvlan, tap and host-device also make interfaces without an address. ptp, vlan and ipvlan always run an IPAM
plugin, and without one their ADD fails (\`no plugin name provided\`). Add an \`ipam\` block with a \`type\`.`,
  findInPlugin(plugin, list) {
    const { index, delegate, type } = plugin;
    if (!/^(?:ptp|vlan|ipvlan)$/.test(delegate) || hasIpam(plugin) || isRewritten(plugin)) return undefined;
    // ipvlan can take the address of a plugin that made no interface in the container.
    if (delegate === "ipvlan" && mayBeMadeBefore(list, index)) return undefined;
    const hint = 'Add "ipam": { "type": "host-local", "ranges": [[{ "subnet": "..." }]] }';
    return { at: ["type"], message: `${type} has no ipam, and makes no interface without an address`, hint };
  },
};
