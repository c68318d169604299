import type { ListRule } from "../lint/rule.ts";
import { cidrOf } from "../lists/addresses.ts";
import { entriesOf, poolsOf } from "../lists/ipam.ts";
import { creatorsOf, isRewritten, type List, type ListedPlugin } from "../lists/list.ts";

export const severalDefaultRoutes: ListRule = {
  severity: "warning",
  title: "Two interfaces of a container have a default route.",
  page: `ADD passes, and the kernel uses one of the two routes: for IPv4 the one that came last. With \`isDefaultGateway\`, bridge
adds a default route of its own. Keep the default route of one interface, and give the others only the routes that they
need. Two routes with different \`priority\` are no mistake. With sbr or vrf, each interface can have its own default route.`,
  findInList(list) {
    const all = creatorsOf(list)
      .filter((plugin) => !isRewritten(plugin) && !hasOwnTable(list, plugin))
      .flatMap((plugin) => [...writtenRoutes(plugin), ...gatewayRoutes(plugin)]);
    return all.flatMap((route, index) => {
      const others = all.slice(0, index).filter(({ plugin }) => plugin.ifName !== route.plugin.ifName);
      const earlier = others.find(({ bits, priority }) => bits === route.bits && priority === route.priority);
      if (!earlier) return [];
      const version = route.bits === 32 ? "IPv4" : "IPv6";
      const message = `${route.plugin.ifName} has a default route for ${version}, and so has ${earlier.plugin.ifName}`;
      return [{ at: route.path, isKey: route.isKey, message, hint: "Keep the one that the container needs" }];
    });
  },
};

function writtenRoutes(plugin: ListedPlugin) {
  return entriesOf(plugin, "routes").flatMap(({ path, entry }) => {
    const target = cidrOf(entry.dst);
    if (target?.length !== 0 || entry.table !== undefined) return [];
    const { bits } = target;
    return [{ plugin, path: [...path, "dst"], isKey: false, bits, priority: entry.priority ?? 0 }];
  });
}

// bridge adds a route for each IP version of its addresses (calcGateways, plugins/main/bridge/bridge.go).
function gatewayRoutes(plugin: ListedPlugin) {
  if (plugin.delegate !== "bridge" || plugin.configuration.isDefaultGateway !== true) return [];
  const written = new Set(writtenRoutes(plugin).map(({ bits }) => bits));
  const versions = new Set(poolsOf(plugin).map(({ bits }) => bits));
  const path = [...plugin.path, "isDefaultGateway"];
  return [...versions]
    .filter((bits) => !written.has(bits))
    .map((bits) => ({ plugin, path, isKey: true, bits, priority: 0 }));
}

function hasOwnTable({ plugins }: List, { index, ifName }: ListedPlugin): boolean {
  return plugins.some((plugin) => plugin.index > index && plugin.profile?.movesRoutes && plugin.ifName === ifName);
}
