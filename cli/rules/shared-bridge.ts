import type { ListRule } from "../lint/rule.ts";
import { contains } from "../lists/addresses.ts";
import { excludes, type GatewayAddress, gatewaysElsewhere, gatewaysIn, placeOfBridge } from "../lists/gateways.ts";
import type { List, ListedPlugin } from "../lists/list.ts";
import { isBefore, nameOf } from "../lists/neighbours.ts";

export const sharedBridge: ListRule = {
  title: "Two plugins give one bridge different gateway addresses.",
  page: `With \`isGateway\`, bridge gives the host's bridge the gateway's address. If the bridge has another IPv4 address, ADD fails
(\`"disc0" already has an IP address different from\`). IPv6 subnets may differ if they do not overlap. Give each plugin its
own \`bridge\`: without the key, all of them use \`cni0\`. The lists of a directory are compared, too: then ADD of the second
list fails. With \`forceAddress\`, a plugin takes the other's address away: its containers lose their gateway, and ADD of the
next one fails. Two sets of IPv4 ranges in one plugin are two subnets with two gateways: use one larger subnet.`,
  findInList(list, { lists }) {
    const gateways = gatewaysIn(list);
    const clashes = gateways.flatMap((gateway, index) => {
      const elsewhere = gatewaysElsewhere(list, lists, gateway.key).filter((one) => isBefore(one.list, list, lists));
      const earlier = [...gateways.slice(0, index), ...elsewhere].find((other) => clash(gateway, other));
      return earlier ? [{ gateway, earlier }] : [];
    });
    // One finding for each plugin is enough.
    const first = [...Map.groupBy(clashes, ({ gateway }) => gateway.plugin).values()].flatMap(([one]) => one ?? []);
    return first.map(({ gateway: { plugin, key }, earlier }) => ({
      ...placeOfBridge(plugin),
      ...(earlier.plugin === plugin ? twoSubnets(plugin, key) : twoPlugins(plugin, earlier, list)),
    }));
  },
};

function twoPlugins({ ifName }: ListedPlugin, { plugin, list, key: bridge }: GatewayAddress, own: List) {
  const other = `${plugin.ifName}${list === own ? "" : ` of ${nameOf(list)}`}`;
  const message = `${ifName} and ${other} give the bridge ${bridge} different gateway addresses`;
  return { message, hint: "Give each plugin its own bridge" };
}

function twoSubnets({ ifName }: ListedPlugin, bridge: string) {
  const message = `${ifName} has two subnets, and the plugin refuses to give the bridge ${bridge} both gateway addresses`;
  return { message, hint: "Use one larger subnet" };
}

function clash(one: GatewayAddress, other: GatewayAddress): boolean {
  // host-local refuses sets of one plugin that overlap: that is another rule's.
  const isOverlap = contains(one.cidr, other.cidr) || contains(other.cidr, one.cidr);
  const isAllowed = one.plugin === other.plugin && (isOverlap || one.plugin.configuration.forceAddress === true);
  return one.key === other.key && excludes(one.cidr, other.cidr) && !isAllowed;
}
