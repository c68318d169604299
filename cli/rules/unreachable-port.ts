import type { ListRule } from "../lint/rule.ts";
import { creatorFor, creatorsOf, hasCapability } from "../lists/chain.ts";
import { hasIpam } from "../lists/ipam-block.ts";
import type { List, ListedPlugin } from "../lists/list.ts";
import { valueAt } from "../lists/list-file.ts";

/** The host does not reach a macvlan or ipvlan interface on its own uplink. */
export const unreachablePort: ListRule = {
  of: "list",
  code: "unreachable-port",
  severity: "warning",
  title: "portmap publishes on an interface that the host does not reach.",
  page: `portmap forwards the host's ports to one interface of the container: a plain one to the runtime's, a wrapped one to the
interface that \`ifName\` names. The kernel lets no packet pass between a host and its own macvlan or ipvlan interfaces. So
portmap makes its rules, and the published port does not answer. Publish on the interface of bridge or ptp: use
\`portmap-wrapper\` with its \`ifName\`.`,
  find(list) {
    return list.plugins.flatMap((plugin) => {
      const better =
        plugin.delegate === "portmap" && hasCapability(plugin, "portMappings") && betterInterface(list, plugin);
      if (!better) return [];
      const { path, wrapper, ifName } = plugin;
      const place = wrapper.ifName === undefined ? [...path, "type"] : [...path, "wrapper", "ifName"];
      const kind = creatorFor(list, plugin)?.delegate;
      const message = `portmap publishes on ${ifName}, an interface of ${kind}, which its own host does not reach`;
      return [
        { place: valueAt(list.file, place), message, hint: `Use portmap-wrapper with "ifName": "${better.ifName}"` },
      ];
    });
  },
};

/** The interface on which the operator probably wants to publish. Without one, there is nothing better to advise. */
function betterInterface(list: List, plugin: ListedPlugin): ListedPlugin | undefined {
  if (!/^(?:macvlan|ipvlan)$/.test(creatorFor(list, plugin)?.delegate ?? "")) return undefined;
  return creatorsOf(list).find((creator) => /^(?:bridge|ptp)$/.test(creator.delegate) && hasIpam(creator));
}
