import { sharedDeviceName } from "../../shared/plugin/profile.ts";
import { once } from "../once.ts";
import { addressOf, type Cidr, cidrOf, contains, networkOf } from "./addresses.ts";
import { certainSubnets } from "./ipam.ts";
import { creatorsOf, isGateway, isRewritten, type List, type ListedPlugin } from "./list.ts";
import { amongNeighbours } from "./neighbours.ts";

/** An address that the bridge plugin gives a bridge of the host. The key is the bridge's name. */
export type GatewayAddress = ReturnType<typeof gatewaysOf>[number];

/** The gateways' addresses of a list that are certain. */
export const gatewaysIn = once((list: List) => creatorsOf(list).flatMap((plugin) => gatewaysOf(plugin, list)));

/** The same of the neighbours of a list, for a bridge. */
export const gatewaysElsewhere = amongNeighbours(gatewaysIn);

/** Where a list names the bridge of a plugin. */
export function placeOfBridge({ path, configuration }: ListedPlugin): { at: (string | number)[]; isKey: boolean } {
  const isKey = configuration.bridge !== undefined;
  return { at: [...path, isKey ? "bridge" : "type"], isKey };
}

/** Whether the plugin refuses to give a bridge one address because it has the other (ensureAddr of bridge). */
export function excludes(one: Cidr, other: Cidr): boolean {
  if (one.bits !== other.bits || (one.value === other.value && one.length === other.length)) return false;
  return one.bits === 32 || contains(one, other) || contains(other, one);
}

function gatewaysOf(plugin: ListedPlugin, list: List) {
  const { delegate, profile, configuration } = plugin;
  // With `vlan`, the address is on a VLAN device of the bridge.
  const isOdd = configuration.vlan !== undefined || isRewritten(plugin);
  const bridge = sharedDeviceName(profile, configuration);
  if (delegate !== "bridge" || bridge === undefined || !isGateway(configuration) || isOdd) return [];
  return cidrsOf(plugin).map((cidr) => ({ list, plugin, key: bridge, cidr }));
}

/** The gateways' addresses, with the lengths of the subnets' prefixes. */
function cidrsOf(plugin: ListedPlugin): readonly Cidr[] {
  return certainSubnets(plugin).flatMap(({ subnet, gateway }) => {
    const cidr = cidrOf(subnet);
    if (!cidr) return [];
    const value = gateway === undefined ? networkOf(cidr) + 1n : addressOf(gateway)?.value;
    return value === undefined ? [] : [{ ...cidr, value }];
  });
}
