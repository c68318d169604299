import type { PluginRule } from "../lint/rule.ts";
import { installedVersion, isOlder } from "../lists/installed.ts";
import { hasIpam } from "../lists/ipam.ts";
import { isRewritten, mayBeMadeBefore } from "../lists/list.ts";

/** The first version of vlan that makes an interface without an address. */
const vlanWithoutIpam = "1.10.0";

export const noIpam: PluginRule = {
  title: "ptp, vlan or ipvlan has no ipam.",
  page: `bridge, macvlan, tap and host-device also make interfaces without an address. ptp and ipvlan always run an IPAM
plugin, and so does vlan before version ${vlanWithoutIpam}. Without one their ADD fails (\`no plugin name provided\`). Add an
\`ipam\` block with a \`type\`. lint reports vlan only with \`--cni-path\`, which has its version.`,
  findInPlugin(plugin, list, { plugins }) {
    const { index, delegate, type } = plugin;
    if (!/^(?:ptp|vlan|ipvlan)$/.test(delegate) || hasIpam(plugin) || isRewritten(plugin)) return undefined;
    // ipvlan can take the address of a plugin that made no interface in the container.
    if (delegate === "ipvlan" && mayBeMadeBefore(list, index)) return undefined;
    const version = delegate === "vlan" ? installedVersion(plugin, plugins) : undefined;
    if (delegate === "vlan" && (version === undefined || !isOlder(version, vlanWithoutIpam))) return undefined;
    const hint = 'Add "ipam": { "type": "host-local", "ranges": [[{ "subnet": "..." }]] }';
    const which = version === undefined ? "" : `${delegate} ${version} `;
    return { at: ["type"], message: `${type} has no ipam, and ${which}makes no interface without an address`, hint };
  },
};
