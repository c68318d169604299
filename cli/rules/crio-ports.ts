import type { PluginRule } from "../lint/rule.ts";
import type { Address } from "../lists/addresses.ts";
import { hasIpam, poolsOf } from "../lists/ipam.ts";
import { creatorsOf, hasCapability, type List } from "../lists/list.ts";

export const crioPorts: PluginRule = {
  severity: "warning",
  title: "CRI-O publishes a pod's ports on another interface than portmap would (`--host`).",
  page: `CRI-O gives no port mappings to plugins, so portmap publishes nothing. It publishes a pod's ports by itself: at the first IPv4
address and at the first IPv6 address of the result (\`server/sandbox_network.go\`). They belong to the first interface plugin
of the list, whatever its interface is called. Put the plugin of the interface that should have the ports first. Other runtimes
do as portmap says, so lint looks for CRI-O's configuration on the host (\`/etc/crio\`).`,
  findInPlugin(plugin, list, { hasCrio }) {
    const { delegate, wrapper, ifName } = plugin;
    if (!hasCrio || delegate !== "portmap" || !hasCapability(plugin, "portMappings")) return undefined;
    const chosen = (["IPv4", "IPv6"] as const).flatMap((version) => {
      const interfaceName = firstInterface(list, version);
      return interfaceName === undefined ? [] : [{ version, interfaceName }];
    });
    const [other] = chosen;
    if (other === undefined || chosen.some(({ interfaceName }) => interfaceName === ifName)) return undefined;
    const { interfaceName, version } = other;
    return {
      at: wrapper.ifName === undefined ? ["type"] : ["wrapper", "ifName"],
      message: `CRI-O publishes ports on ${interfaceName}, which has the first ${version} address, and not on ${ifName}`,
      hint: `Put the plugin of ${ifName} before that of ${interfaceName}`,
    };
  },
};

/** The interface with the first address of an IP version; undefined if there is none, or if lint cannot know. */
function firstInterface(list: List, version: "IPv4" | "IPv6"): string | undefined {
  const bits: Address["bits"] = version === "IPv4" ? 32 : 128;
  for (const creator of creatorsOf(list).filter(hasIpam)) {
    const pools = poolsOf(creator);
    if (pools.length === 0) return undefined;
    if (pools.some((pool) => pool.bits === bits)) return creator.ifName;
  }
  return undefined;
}
