import { goLookup } from "../../shared/protocol/json.ts";
import { type DefaultRoute, defaultRoutes } from "../host/routes.ts";
import { addressOf, addressText, cidrOf, contains, networkOf } from "../lists/addresses.ts";
import { isRewritten } from "../lists/chain.ts";
import { entriesOf, rangeSetsOf } from "../lists/ipam.ts";
import { poolsOf } from "../lists/leases.ts";
import type { ListedPlugin } from "../lists/list.ts";

/** What a plugin does to the host's way out, or does not know of it. */
export function routeProblems(plugin: ListedPlugin, routes = defaultRoutes()): readonly string[] {
  const { delegate, configuration } = plugin;
  if (isRewritten(plugin)) return [];
  if (delegate === "host-device") return lostUplink(plugin, routes);
  if (!/^(?:macvlan|ipvlan)$/.test(delegate) || configuration.linkInContainer === true) return [];
  return routes.filter(({ device }) => device === configuration.master).flatMap((route) => otherGateway(plugin, route));
}

function lostUplink({ type, configuration }: ListedPlugin, routes: readonly DefaultRoute[]): readonly string[] {
  const isOnly = routes.length > 0 && routes.every(({ device }) => device === configuration.device);
  return isOnly
    ? [
        `${type} moves ${configuration.device} into the container, and this host's only default route goes through it: the host loses its network. Use another device`,
      ]
    : [];
}

/** host-local takes the first address of a subnet for its gateway, and gives out all others. The LAN's gateway can be any. */
function otherGateway(plugin: ListedPlugin, { device, gateway }: DefaultRoute): readonly string[] {
  const lan = addressOf(gateway);
  const isDefault = entriesOf(plugin, "routes").some(({ entry }) => entry.dst === "0.0.0.0/0" && !entry.gw);
  if (!lan) return [];
  const given = poolsOf(plugin).some(({ bits, first, last, gateway: own }) => {
    return bits === lan.bits && first <= lan.value && lan.value <= last && lan.value !== own;
  });
  const guessed = rangeSetsOf(plugin)
    .flat()
    .flatMap(({ range }) => {
      const subnet = cidrOf(range.subnet);
      if (!subnet || goLookup(range, "gateway") || !contains(subnet, lan)) return [];
      const value = networkOf(subnet) + 1n;
      return value === lan.value ? [] : [addressText({ bits: subnet.bits, value })];
    });
  const cure = `Set "gateway" to ${gateway} next to "subnet"`;
  return [
    ...guessed
      .filter(() => isDefault)
      .map(
        (own) =>
          `${plugin.ifName} gets a default route through ${own}, and this host's goes through ${gateway} on ${device}. ${cure}`,
      ),
    ...(given ? [`${plugin.ifName} can get ${gateway}, the gateway on ${device}. ${cure}`] : []),
  ];
}
