import type { PluginRule } from "../lint/rule.ts";
import { hasIpam } from "../lists/ipam.ts";
import { creatorFor, creatorsOf, freeName, hasCapability, type List, type ListedPlugin } from "../lists/list.ts";

export const unreachablePort: PluginRule = {
  severity: "warning",
  title: "portmap publishes on an interface that the host does not reach.",
  page: `portmap forwards the host's ports to one interface of the container: a plain one to the runtime's, a wrapped one to the
interface that \`ifName\` names. The kernel lets no packet pass between a host and its own macvlan or ipvlan interfaces. So
portmap makes its rules, and the published port does not answer. Publish on the interface of bridge or ptp: use
\`portmap-wrapper\` with its \`ifName\`.`,
  findInPlugin(plugin, list) {
    const { delegate, wrapper, ifName } = plugin;
    const better = delegate === "portmap" && hasCapability(plugin, "portMappings") && betterInterface(list, plugin);
    if (!better) return undefined;
    const kind = creatorFor(list, plugin)?.delegate;
    return {
      at: wrapper.ifName === undefined ? ["type"] : ["wrapper", "ifName"],
      message: `portmap publishes on ${ifName}, an interface of ${kind}, which its own host does not reach`,
      hint: hintOf(better, plugin, list),
    };
  },
};

function hintOf({ delegate, ifName, isRenamed }: ListedPlugin, plugin: ListedPlugin, { plugins }: List): string {
  if (isRenamed) return `Use portmap-wrapper with "ifName": "${ifName}"`;
  // The better one has the runtime's name: it is alone with it, or it has to leave it to the other one.
  if (ifName !== plugin.ifName) return "Leave ifName out";
  const free = freeName(plugins.map((other) => other.ifName));
  return `Use ${delegate}-wrapper with an ifName of its own, such as "${free}", and portmap-wrapper with the same ifName`;
}

/** The interface on which the operator probably wants to publish. Without one, there is nothing better to advise. */
function betterInterface(list: List, plugin: ListedPlugin): ListedPlugin | undefined {
  if (!/^(?:macvlan|ipvlan)$/.test(creatorFor(list, plugin)?.delegate ?? "")) return undefined;
  return creatorsOf(list).find((creator) => /^(?:bridge|ptp)$/.test(creator.delegate) && hasIpam(creator));
}
