import type { Found, ListRule } from "../lint/rule.ts";
import { creatorsOf, isRewritten, runsCheck } from "../lists/chain.ts";
import { cidrOf, entriesOf, ipamOf, networkOf } from "../lists/ipam-block.ts";
import type { List, ListedPlugin } from "../lists/list.ts";
import { valueAt } from "../lists/list-file.ts";

/** The reference CHECK looks for a route to an address's subnet, and the kernel makes none for a single IPv4 address. */
export const hostAddress: ListRule = {
  of: "list",
  code: "host-address",
  severity: "error",
  title: "A single IPv4 address (/32) has no route, so CHECK fails.",
  page: `The reference plugins' CHECK looks for a route to the subnet of each address. For a single IPv4 address the kernel makes no
such route, so CHECK fails (\`Failed to find Gateway\`). Add the route, as in
[service-address.conflist](../conf-examples/README.md#service-addressconflist).`,
  find(list) {
    return runsCheck(list) ? creatorsOf(list).flatMap((plugin) => foundIn(list, plugin)) : [];
  },
};

function foundIn({ file }: List, plugin: ListedPlugin): readonly Found[] {
  if (ipamOf(plugin).type !== "static" || isRewritten(plugin)) return [];
  const routes = entriesOf(plugin, "routes").flatMap(({ entry }) => cidrOf(entry.dst) ?? []);
  return entriesOf(plugin, "addresses").flatMap(({ path, entry }) => {
    const cidr = cidrOf(entry.address);
    if (cidr?.length !== 32 || cidr.bits !== 32) return [];
    if (routes.some((route) => route.length === cidr.length && networkOf(route) === cidr.value)) return [];
    const message = `CHECK of ${plugin.type} looks for a route to ${entry.address}, and there is none`;
    return [
      { place: valueAt(file, [...path, "address"]), message, hint: `Add { "dst": "${entry.address}" } to its routes` },
    ];
  });
}
