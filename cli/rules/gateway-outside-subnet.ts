import { isLinkLocal } from "../../shared/attachment/subnet.ts";
import type { FoundAt, ListRule } from "../lint/rule.ts";
import { type Address, addressOf, cidrOf, contains } from "../lists/addresses.ts";
import { certainSubnets, entriesOf, ipamTypeOf, isStrict, rangeSetsOf } from "../lists/ipam.ts";
import { creatorsOf, hasCapability, isRewritten, type ListedPlugin } from "../lists/list.ts";

export const gatewayOutsideSubnet: ListRule = {
  title: "A gateway is not in its subnet.",
  page: `A route without \`gw\` goes through the gateway of the first address of its IP version. If that gateway is not in the
interface's subnet, the kernel refuses the route, and ADD fails (\`network is unreachable\`). Use an address of the subnet, or
leave \`gateway\` out: host-local then takes the first address of the subnet. The same is true of a route's own \`gw\`.`,
  findInList(list, { plugins }) {
    const creators = creatorsOf(list).filter((plugin) => !isRewritten(plugin));
    return creators.flatMap((plugin) => {
      // invalid-range reports a gateway that host-local itself refuses.
      const isRefused = ipamTypeOf(plugin.configuration) === "host-local" && isStrict(plugins);
      const gateways = isRefused ? [] : [...wrongGateway(plugin, 32), ...wrongGateway(plugin, 128)];
      return [...gateways, ...wrongRoute(plugin)];
    });
  },
};

const hint = "Use an address of the subnet";

/** The gateway of the first address of an IP version, if no subnet has it and a route needs it. */
function wrongGateway(plugin: ListedPlugin, bits: Address["bits"]): readonly FoundAt[] {
  const gateways = certainSubnets(plugin).flatMap(({ path, subnet, gateway }) => {
    const [address, cidr] = [addressOf(gateway), cidrOf(subnet)];
    return address && cidr?.bits === bits ? [{ path, address, text: gateway, cidr, subnet }] : [];
  });
  const [used] = gateways;
  // A link-local gateway is on the interface itself.
  if (!used || isLinkLocal(String(used.text)) || gateways.some(({ cidr }) => contains(cidr, used.address))) return [];
  const routes = entriesOf(plugin, "routes").filter(({ entry }) => cidrOf(entry.dst)?.bits === bits);
  const first = routes.find(({ entry: { gw, dst } }) => gw === undefined || isReached(used.address, [dst]));
  // An earlier route may lead to the gateway.
  if (!first || first.entry.gw !== undefined) return [];
  const message = `the gateway ${used.text} is not in ${used.subnet}, and a route goes through it`;
  return [{ at: [...used.path, "gateway"], message, hint }];
}

/** The first route through a gateway of its own that no interface reaches. A route makes a gateway reachable only with `scope`. */
function wrongRoute(plugin: ListedPlugin): readonly FoundAt[] {
  const own = certainSubnets(plugin).map(({ subnet }) => subnet);
  const isOpen = ["ipRanges", "ips"].some((name) => hasCapability(plugin, name));
  // Another rule reports what cannot be read.
  if (own.length === 0 || isOpen || !own.every(cidrOf)) return [];
  const routes = entriesOf(plugin, "routes").filter(({ entry }) => cidrOf(entry.dst));
  const ranges = rangeSetsOf(plugin).flatMap((set) => set.map(({ range }) => range.subnet));
  const linked = routes.flatMap(({ entry }) => (entry.scope === undefined ? [] : [entry.dst]));
  const wrong = routes.find(({ entry: { gw } }) => {
    const gateway = addressOf(gw);
    return gateway && !isLinkLocal(String(gw)) && !isReached(gateway, [...own, ...ranges, ...linked]);
  });
  if (!wrong) return [];
  const { gw, dst } = wrong.entry;
  const message = `the gateway ${gw} of the route to ${dst} is not in ${own.join(" or ")}`;
  return [{ at: [...wrong.path, "gw"], message, hint }];
}

function isReached(gateway: Address, subnets: readonly unknown[]): boolean {
  return subnets.flatMap((text) => cidrOf(text) ?? []).some((cidr) => contains(cidr, gateway));
}
