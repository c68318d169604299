import type { ListRule } from "../lint/rule.ts";
import { excludes, type GatewayAddress, gatewaysElsewhere, gatewaysIn, placeOfBridge } from "../lists/gateways.ts";
import { isBefore, nameOf } from "../lists/neighbours.ts";

export const sharedBridge: ListRule = {
  severity: "error",
  title: "Two plugins give one bridge different gateway addresses.",
  page: `With \`isGateway\`, bridge gives the host's bridge the gateway's address. If the bridge has another IPv4 address, ADD fails
(\`"disc0" already has an IP address different from\`). IPv6 subnets may differ if they do not overlap. Give each plugin its
own \`bridge\`: without the key, all of them use \`cni0\`. The lists of a directory are compared, too: then ADD of the second
list fails.`,
  findInList(list, { lists }) {
    const gateways = gatewaysIn(list);
    const clashes = gateways.flatMap((gateway, index) => {
      const elsewhere = gatewaysElsewhere(list, lists, gateway.key).filter((one) => isBefore(one.list, list, lists));
      const earlier = [...gateways.slice(0, index), ...elsewhere].find((other) => clash(gateway, other));
      return earlier ? [{ gateway, earlier }] : [];
    });
    // One finding for each plugin is enough.
    const first = clashes.filter(
      ({ gateway }, index) => clashes.findIndex((one) => one.gateway.plugin === gateway.plugin) === index,
    );
    return first.map(({ gateway: { plugin, key: bridge }, earlier }) => ({
      ...placeOfBridge(plugin),
      message: `${plugin.ifName} and ${earlier.plugin.ifName}${earlier.list === list ? "" : ` of ${nameOf(earlier.list)}`} give the bridge ${bridge} different gateway addresses`,
      hint: "Give each plugin its own bridge",
    }));
  },
};

function clash(one: GatewayAddress, other: GatewayAddress): boolean {
  return one.key === other.key && one.plugin !== other.plugin && excludes(one.cidr, other.cidr);
}
