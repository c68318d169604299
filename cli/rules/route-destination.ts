import type { PluginRule } from "../lint/rule.ts";
import { addressText, cidrOf, networkOf } from "../lists/addresses.ts";
import { entriesOf, ipamTypeOf } from "../lists/ipam.ts";
import { isRewritten, runsCheck } from "../lists/list.ts";

export const routeDestination: PluginRule = {
  title: "The destination of a route is not the address of a network.",
  page: `The kernel refuses an IPv4 route whose \`dst\` has bits of a host, such as \`10.9.1.5/16\`: ADD fails (\`invalid argument\`). It
makes an IPv6 route without these bits, and CHECK then does not find it (\`Expected Route ... not found in routing table\`).
Write the network's address, \`10.9.0.0/16\`.`,
  findInPlugin(plugin, list) {
    // dhcp takes its routes from the server.
    if (isRewritten(plugin) || ipamTypeOf(plugin.configuration) === "dhcp") return [];
    return entriesOf(plugin, "routes").flatMap(({ path, entry: { dst } }) => {
      const cidr = cidrOf(dst);
      if (!cidr || networkOf(cidr) === cidr.value) return [];
      const { bits, value, length } = cidr;
      const fails = bits === 32 ? "ADD" : "CHECK";
      if (fails === "CHECK" && !runsCheck(list)) return [];
      const [network, single] = [addressText({ bits, value: networkOf(cidr) }), addressText({ bits, value })];
      return {
        at: [...path.slice(plugin.path.length), "dst"],
        message: `${dst} is not the address of a network: ${fails} fails`,
        hint: `Write "${network}/${length}", or "${single}/${bits}" for one address`,
      };
    });
  },
};
