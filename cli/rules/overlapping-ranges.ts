import type { FoundAt, ListRule } from "../lint/rule.ts";
import { creatorsOf } from "../lists/chain.ts";
import { commonAddress, type Pool, poolsOf } from "../lists/leases.ts";
import type { List } from "../lists/list.ts";

/** IPAM plugins that do not know each other's leases give out an address twice. */
export const overlappingRanges: ListRule = {
  of: "list",
  code: "overlapping-ranges",
  severity: "error",
  title: "Two interfaces can get the same address.",
  page: `A renamed interface keeps its leases in a network of its own (\`zone-eth1\`), so host-local does not know the leases of
the other interface (\`zone\`). If their ranges overlap, both get the same address sooner or later, and ADD fails with code
107 (\`address 172.26.64.2/20 is taken\`). A fixed address can be taken in the same way. Give each interface a subnet of its
own. Or set \`wrapper.network\` to the name of the list: both interfaces then share one pool of leases.`,
  find(list) {
    const pools = creatorsOf(list).flatMap(poolsOf);
    return pools.flatMap((pool, index) => foundIn(list, pool, pools.slice(0, index)) ?? []);
  },
};

function foundIn(list: List, pool: Pool, earlier: readonly Pool[]): FoundAt | undefined {
  const other = earlier.find((candidate) => areApart(pool, candidate) && commonAddress(pool, candidate) !== undefined);
  const address = other && commonAddress(pool, other);
  if (address === undefined) return undefined;
  const isLeased = pool.leases !== undefined && other?.leases !== undefined;
  return {
    at: pool.path,
    message: `${pool.plugin.ifName} can get ${address}, and so can ${other?.plugin.ifName}${isLeased ? "; their leases are kept apart" : ""}`,
    hint: isLeased ? `Use another subnet, or set wrapper.network to "${list.name}"` : "Use another address",
  };
}

function areApart({ plugin, leases }: Pool, other: Pool): boolean {
  return plugin.ifName !== other.plugin.ifName && (leases === undefined || leases !== other.leases);
}
