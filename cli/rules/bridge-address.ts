import { addressesOf, isNoBridge } from "../host/links.ts";
import type { ListRule } from "../lint/rule.ts";
import { type Cidr, cidrOf } from "../lists/addresses.ts";
import { excludes, gatewaysIn, placeOfBridge } from "../lists/gateways.ts";

export const bridgeAddress: ListRule = {
  title: "The host's bridge has another address than the list gives it (`--host`).",
  page: `With \`isGateway\`, bridge gives the host's bridge the gateway's address. A bridge stays when its last container is gone,
and so does its address. If you change the subnet, ADD fails (\`"disc0" already has an IP address different from\`). Stop the
containers of the bridge, and delete it (\`ip link delete disc0\`): the next ADD makes it again. Or give the list another
\`bridge\`.`,
  findInList(list, { links = [] }) {
    return gatewaysIn(list).flatMap(({ plugin, key: bridge, cidr }) => {
      // A card of that name is another rule's, and must not be deleted.
      const link = links.find((one) => one.ifname === bridge && !isNoBridge(one));
      const taken = link && addressInTheWay(addressesOf(link), cidr);
      if (taken === undefined || plugin.configuration.forceAddress === true) return [];
      return {
        ...placeOfBridge(plugin),
        message: `${bridge} has the address ${taken} on this host, and ${plugin.ifName} needs another one: ADD fails`,
        hint: `Stop its containers and run "ip link delete ${bridge}", or use another bridge`,
      };
    });
  },
};

/** The first address of a bridge for which the plugin refuses another one. It looks no further than its own (ensureAddr). */
function addressInTheWay(present: readonly string[], wanted: Cidr): string | undefined {
  const known = present.map((address) => ({ address, cidr: cidrOf(address) }));
  const own = known.findIndex(({ cidr }) => cidr?.value === wanted.value && cidr.length === wanted.length);
  return known.slice(0, own < 0 ? undefined : own).find(({ cidr }) => cidr && excludes(wanted, cidr))?.address;
}
