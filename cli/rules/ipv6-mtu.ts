import type { PluginRule } from "../lint/rule.ts";
import { poolsOf } from "../lists/ipam.ts";
import { creatorFor, isRewritten, runsCheck } from "../lists/list.ts";
import { schemasOf } from "../schema/plugin.ts";

/** RFC 8200, section 5. The kernel takes IPv6 away from an interface with less (addrconf_ifdown). */
const leastMtu = 1280;

export const ipv6Mtu: PluginRule = {
  title: "The MTU is too small for IPv6.",
  page: `An interface with an MTU below 1280 has no IPv6. If the interface plugin sets such an \`mtu\`, ADD fails (\`failed to enable
keep_addr_on_down\`). If tuning sets it, ADD passes, the interface loses its IPv6 address, and CHECK fails (\`Failed to match
addr\`). Use at least 1280, or no IPv6 addresses.`,
  findInPlugin(plugin, list) {
    const { delegate, ifName, configuration } = plugin;
    const { mtu } = configuration;
    const isTuning = delegate === "tuning";
    const creator = isTuning ? creatorFor(list, plugin) : plugin;
    if (typeof mtu !== "number" || mtu <= 0 || mtu >= leastMtu || isRewritten(plugin) || (isTuning && !runsCheck(list)))
      return undefined;
    // Others ignore the key, such as host-device.
    if (!creator || schemasOf(plugin).own?.shape.mtu === undefined) return undefined;
    if (!poolsOf(creator).some(({ bits }) => bits === 128)) return undefined;
    const message = `with an MTU of ${mtu}, ${ifName} has no IPv6 address: ${isTuning ? "CHECK" : "ADD"} fails`;
    return { at: ["mtu"], message, hint: `Use at least ${leastMtu}` };
  },
};
