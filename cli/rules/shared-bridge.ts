import { sharedDeviceName } from "../../shared/plugin/profile.ts";
import type { ListRule } from "../lint/rule.ts";
import { type Address, addressOf, type Cidr, cidrOf, contains, networkOf } from "../lists/addresses.ts";
import { creatorsOf, isRewritten } from "../lists/chain.ts";
import { certainSubnets } from "../lists/ipam.ts";
import type { List, ListedPlugin } from "../lists/list.ts";
import { nameOf, neighboursBefore, perList } from "../lists/neighbours.ts";

/** A bridge keeps one gateway address of each IPv4 subnet that it serves, and the plugin refuses a second one. */
export const sharedBridge: ListRule = {
  of: "list",
  code: "shared-bridge",
  severity: "error",
  title: "Two plugins give one bridge different gateway addresses.",
  page: `With \`isGateway\`, bridge gives the host's bridge the gateway's address. If the bridge has another IPv4 address, ADD fails
(\`"disc0" already has an IP address different from\`). IPv6 subnets may differ if they do not overlap. Give each plugin its
own \`bridge\`: without the key, all of them use \`cni0\`. The lists of a directory are compared, too: then ADD of the second
list fails.`,
  find(list, { lists }) {
    const gateways = gatewaysIn(list);
    const elsewhere = neighboursBefore(list, lists).flatMap((other) => gatewaysIn(other));
    const clashes = gateways.flatMap((gateway, index) => {
      const earlier = [...gateways.slice(0, index), ...elsewhere].find((other) => clash(gateway, other));
      return earlier ? [{ gateway, earlier }] : [];
    });
    // One finding for each plugin is enough.
    const first = clashes.filter(
      ({ gateway }, index) => clashes.findIndex((one) => one.gateway.plugin === gateway.plugin) === index,
    );
    return first.map(({ gateway: { plugin, bridge }, earlier }) => ({
      at: [...plugin.path, plugin.configuration.bridge === undefined ? "type" : "bridge"],
      isKey: plugin.configuration.bridge !== undefined,
      message: `${plugin.ifName} and ${earlier.plugin.ifName}${earlier.list === list ? "" : ` of ${nameOf(earlier.list)}`} give the bridge ${bridge} different gateway addresses`,
      hint: "Give each plugin its own bridge",
    }));
  },
};

interface GatewayAddress {
  readonly list: List;
  readonly plugin: ListedPlugin;
  readonly bridge: string;
  /** The gateway's address, with the length of the subnet's prefix. */
  readonly cidr: Cidr;
}

function clash(one: GatewayAddress, other: GatewayAddress): boolean {
  const { cidr, plugin, bridge } = one;
  if (bridge !== other.bridge || plugin === other.plugin || cidr.bits !== other.cidr.bits) return false;
  if (cidr.value === other.cidr.value && cidr.length === other.cidr.length) return false;
  return cidr.bits === 32 || contains(cidr, other.cidr) || contains(other.cidr, cidr);
}

const gatewaysIn = perList((list) => creatorsOf(list).flatMap((plugin) => gatewaysOf(plugin, list)));

function gatewaysOf(plugin: ListedPlugin, list: List): readonly GatewayAddress[] {
  const { delegate, profile, configuration } = plugin;
  const isGateway = configuration.isGateway === true || configuration.isDefaultGateway === true;
  // With `vlan`, the address is on a VLAN device of the bridge.
  const isOdd = configuration.forceAddress === true || configuration.vlan !== undefined || isRewritten(plugin);
  if (delegate !== "bridge" || !profile?.sharedDevice || !isGateway || isOdd) return [];
  const bridge = sharedDeviceName(profile.sharedDevice, configuration);
  return cidrsOf(plugin).map((cidr) => ({ list, plugin, bridge, cidr }));
}

/** The gateways' addresses that are certain. */
function cidrsOf(plugin: ListedPlugin): readonly Cidr[] {
  return certainSubnets(plugin).flatMap(({ subnet, gateway }) => {
    const cidr = cidrOf(subnet);
    if (!cidr) return [];
    const value = gateway === undefined ? networkOf(cidr) + 1n : (addressOf(gateway) as Address | undefined)?.value;
    return value === undefined ? [] : [{ ...cidr, value }];
  });
}
