import type { JSONPath } from "jsonc-parser";
import { isLinkLocal } from "../../shared/attachment/subnet.ts";
import type { FoundAt, ListRule } from "../lint/rule.ts";
import { type Address, addressOf, type Cidr, cidrOf, contains } from "../lists/addresses.ts";
import { creatorsOf, hasCapability, isRewritten } from "../lists/chain.ts";
import { certainSubnets, entriesOf, rangeSetsOf } from "../lists/ipam.ts";
import type { ListedPlugin } from "../lists/list.ts";

/** The kernel refuses a route through a gateway that no interface reaches. */
export const gatewayOutsideSubnet: ListRule = {
  of: "list",
  severity: "error",
  title: "A gateway is not in its subnet.",
  page: `A route without \`gw\` goes through the gateway of the first address of its IP version. If that gateway is not in the
interface's subnet, the kernel refuses the route, and ADD fails (\`network is unreachable\`). Use an address of the subnet, or
leave \`gateway\` out: host-local then takes the first address of the subnet. The same is true of a route's own \`gw\`.`,
  find(list) {
    return creatorsOf(list).flatMap((plugin) => {
      if (isRewritten(plugin)) return [];
      const wrongOnes = ([32, 128] as const).flatMap((bits) => {
        const wrong = wrongGateway(plugin, bits);
        if (wrong === undefined) return [];
        const message = `the gateway ${wrong.text} is not in ${wrong.subnet}, and a route goes through it`;
        return [{ at: wrong.path, message, hint: "Use an address of the subnet" }];
      });
      return [...wrongOnes, ...wrongRoute(plugin)];
    });
  },
};

interface Gateway {
  readonly path: JSONPath;
  readonly address: Address;
  readonly text: unknown;
  readonly cidr: Cidr;
  readonly subnet: unknown;
}

function wrongGateway(plugin: ListedPlugin, bits: Address["bits"]): Gateway | undefined {
  const gateways = ofIpam(plugin).filter(({ cidr }) => cidr.bits === bits);
  const [used] = gateways;
  // A link-local gateway is on the interface itself.
  if (!used || isLinkLocal(String(used.text)) || gateways.some(({ cidr }) => contains(cidr, used.address)))
    return undefined;
  // An earlier route may lead to the gateway.
  for (const { entry } of entriesOf(plugin, "routes")) {
    const target = cidrOf(entry.dst);
    if (target?.bits !== bits) continue;
    if (contains(target, used.address) && entry.gw !== undefined) return undefined;
    if (entry.gw === undefined) return used;
  }
  return undefined;
}

/** The first route through a gateway of its own that no interface reaches. A route makes a gateway reachable only with `scope`. */
function wrongRoute(plugin: ListedPlugin): readonly FoundAt[] {
  const own = certainSubnets(plugin).map(({ subnet }) => subnet);
  const isOpen = ["ipRanges", "ips"].some((name) => hasCapability(plugin, name));
  if (own.length === 0 || isOpen) return [];
  const routes = entriesOf(plugin, "routes");
  const ranges = rangeSetsOf(plugin).flatMap((set) => set.map(({ range }) => range.subnet));
  const linked = routes.flatMap(({ entry }) => (entry.scope === undefined ? [] : [entry.dst]));
  const reached = [...own, ...ranges, ...linked].flatMap((text) => cidrOf(text) ?? []);
  const wrong = routes.find(({ entry: { gw } }) => {
    const gateway = addressOf(gw);
    return gateway && !isLinkLocal(String(gw)) && !reached.some((cidr) => contains(cidr, gateway));
  });
  if (!wrong) return [];
  const { gw, dst } = wrong.entry;
  const message = `the gateway ${gw} of the route to ${dst} is not in ${own.join(" or ")}`;
  return [{ at: [...wrong.path, "gw"], message, hint: "Use an address of the subnet" }];
}

function ofIpam(plugin: ListedPlugin): readonly Gateway[] {
  return certainSubnets(plugin).flatMap(({ path, subnet, gateway }) => {
    const [address, cidr] = [addressOf(gateway), cidrOf(subnet)];
    return address && cidr ? [{ path: [...path, "gateway"], address, text: gateway, cidr, subnet }] : [];
  });
}
