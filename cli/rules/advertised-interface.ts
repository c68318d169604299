import type { PluginRule } from "../lint/rule.ts";
import { hasIpam } from "../lists/ipam.ts";
import { creatorsOf, freeName, interfaceProblem, runtimeIfName } from "../lists/list.ts";

/** Nomad advertises the interface whose name sorts first (cniToAllocNet). */
export const advertisedInterface: PluginRule = {
  severity: "warning",
  title: "Nomad would advertise this interface instead of the runtime's.",
  page: `Nomad sorts a container's interfaces by name and registers services under the address of the first one that has an
address. An interface called \`backup\` sorts before \`eth0\`. Choose a name that sorts after it, such as \`eth1\`. See
[interface names](configuration.md#interface-names).`,
  findInPlugin(plugin, list) {
    const { isRenamed, ifName } = plugin;
    const creators = creatorsOf(list).filter(hasIpam);
    if (!creators.includes(plugin) || creators.every((creator) => creator.isRenamed)) return undefined;
    if (!isRenamed || ifName >= runtimeIfName || interfaceProblem(plugin) !== undefined) return undefined;
    const free = freeName(list.plugins.map((other) => other.ifName));
    return {
      at: ["wrapper", "ifName"],
      message: `Nomad advertises the address of ${ifName} instead of ${runtimeIfName}, because its name sorts first`,
      hint: `Use a name that sorts after ${runtimeIfName}, such as "${free}"`,
    };
  },
};
