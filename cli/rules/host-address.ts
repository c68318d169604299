import type { PluginRule } from "../lint/rule.ts";
import { cidrOf, networkOf } from "../lists/addresses.ts";
import { entriesOf, ipamTypeOf } from "../lists/ipam.ts";
import { isRewritten, runsCheck } from "../lists/list.ts";

export const hostAddress: PluginRule = {
  title: "A single IPv4 address (/32) has no route, so CHECK fails.",
  page: `The reference plugins' CHECK looks for a route to the subnet of each address. For a single IPv4 address the kernel makes no
such route, so CHECK fails (\`Failed to find Gateway\`). Add the route, as in
[service-address.conflist](../conf-examples/README.md#service-addressconflist).`,
  findInPlugin(plugin, list) {
    if (!runsCheck(list) || plugin.role !== "creator") return [];
    if (ipamTypeOf(plugin.configuration) !== "static" || isRewritten(plugin)) return [];
    const routes = entriesOf(plugin, "routes").flatMap(({ entry }) => cidrOf(entry.dst) ?? []);
    return entriesOf(plugin, "addresses").flatMap(({ path, entry: { address } }) => {
      const cidr = cidrOf(address);
      if (cidr?.length !== 32 || cidr.bits !== 32) return [];
      if (routes.some((route) => route.length === cidr.length && networkOf(route) === cidr.value)) return [];
      const message = `CHECK of ${plugin.type} looks for a route to ${address}, and there is none`;
      const at = [...path.slice(plugin.path.length), "address"];
      return { at, message, hint: `Add { "dst": "${address}" } to its routes` };
    });
  },
};
