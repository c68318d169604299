import type { ListRule } from "../lint/rule.ts";
import { ipamOf } from "../lists/ipam-block.ts";
import { leasesOf } from "../lists/leases.ts";
import { valueAt } from "../lists/list-file.ts";

/** After a reboot, leases that nobody frees stop their own containers. */
export const keptLeases: ListRule = {
  of: "list",
  code: "kept-leases",
  severity: "warning",
  title: "With recover: never, leases that outlive a reboot stop their containers.",
  page: `After a reboot, Nomad attaches its allocations again. If their leases are still there, host-local refuses (\`duplicate
allocation is not allowed\`). The wrapper frees them, unless \`recover\` is \`never\`. Leave \`recover\` out, or keep the leases
where a reboot removes them: \`"dataDir": "/var/run/cni"\`.`,
  find({ file, plugins }) {
    const kept = plugins.filter((plugin) => {
      const { isWrapped, role, wrapper } = plugin;
      if (!isWrapped || role !== "creator" || wrapper.recover !== "never") return false;
      return ipamOf(plugin).type === "host-local" && !/^\/(?:run|dev\/shm)\//.test(leasesOf(plugin));
    });
    return kept.map(({ path }) => ({
      place: valueAt(file, [...path, "wrapper", "recover"]),
      message: "after a reboot, the leases are still there and nothing frees them",
      hint: 'Leave recover out, or set "dataDir": "/var/run/cni"',
    }));
  },
};
