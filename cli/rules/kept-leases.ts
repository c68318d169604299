import type { PluginRule } from "../lint/rule.ts";
import { ipamTypeOf, leasesOf } from "../lists/ipam.ts";

export const keptLeases: PluginRule = {
  severity: "warning",
  title: "With recover: never, leases that outlive a reboot stop their containers.",
  page: `After a reboot, Nomad attaches its allocations again. If their leases are still there, host-local refuses (\`duplicate
allocation is not allowed\`). The wrapper frees them, unless \`recover\` is \`never\`. Leave \`recover\` out, or keep the leases
where a reboot removes them: \`"dataDir": "/var/run/cni"\`.`,
  findInPlugin(plugin) {
    const { isWrapped, role, wrapper } = plugin;
    if (!isWrapped || role !== "creator" || wrapper.recover !== "never") return undefined;
    if (ipamTypeOf(plugin.configuration) !== "host-local" || /^\/(?:run|dev\/shm)\//.test(leasesOf(plugin)))
      return undefined;
    const message = "after a reboot, the leases are still there and nothing frees them";
    return { at: ["wrapper", "recover"], message, hint: 'Leave recover out, or set "dataDir": "/var/run/cni"' };
  },
};
