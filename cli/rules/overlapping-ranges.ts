import { sharedDeviceName } from "../../shared/plugin/profile.ts";
import type { FoundAt, ListRule } from "../lint/rule.ts";
import { commonAddress, type Pool, poolsOf } from "../lists/ipam.ts";
import { creatorsOf, isGateway, type List, type ListedPlugin, lanMasterOf } from "../lists/list.ts";
import { directoryOf, isBefore, nameOf, type Run } from "../lists/neighbours.ts";
import { once } from "../once.ts";

export const overlappingRanges: ListRule = {
  title: "Two interfaces can get the same address.",
  page: `A renamed interface keeps its leases in a network of its own (\`zone-eth1\`), so host-local does not know the leases of
the other interface (\`zone\`). If their ranges overlap, both get the same address sooner or later, and ADD fails with code
107 (\`address 172.26.64.2/20 is taken\`). A fixed address can be taken in the same way. Give each interface a subnet of its
own. Or set \`wrapper.network\` to the name of the list: both interfaces then share one pool of leases.

The lists of a directory do not know each other's leases either. If the ranges of two lists overlap on one bridge, on one
\`master\`, or on two networks that the host routes to, ADD passes, and two containers have one address. Give each list a
subnet of its own, or a part of it with \`rangeStart\` and \`rangeEnd\`.`,
  findInList(list, { lists }) {
    // A plugin's own pools are of one interface.
    const byPlugin = [...Map.groupBy(poolsIn(list), ({ plugin }) => plugin).values()];
    return byPlugin.flatMap((pools, index) => {
      const earlier = byPlugin.slice(0, index).flat();
      return pools.flatMap((pool) => foundIn(list, pool, earlier) ?? foundElsewhere(pool, lists) ?? []);
    });
  },
};

const poolsIn = once((list: List) => creatorsOf(list).flatMap(poolsOf));

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

function foundElsewhere(pool: Pool, lists: Run): FoundAt | undefined {
  const other = firstOverlaps(lists).get(pool);
  if (!other) return undefined;
  const address = commonAddress(pool, other.pool);
  const message = `${pool.plugin.ifName} can get ${address}, and so can ${other.pool.plugin.ifName} of ${nameOf(other.list)}: two containers would have one address`;
  return { at: pool.path, message, hint: "Use another subnet, or divide this one with rangeStart and rangeEnd" };
}

interface Placed {
  readonly pool: Pool;
  readonly list: List;
}

/** For each pool the first list before its own that has an address of it, on one network. */
const firstOverlaps = once((lists: Run): ReadonlyMap<Pool, Placed> => {
  const placed = lists.flatMap((list) =>
    poolsIn(list).flatMap((pool) =>
      networksOf(pool.plugin).map((network) => ({
        pool,
        list,
        place: `${directoryOf(list)}\n${network}\n${pool.bits}`,
      })),
    ),
  );
  const first = new Map<Pool, Placed>();
  const note = (one: Placed, other: Placed) => {
    const known = first.get(one.pool);
    if (isBefore(other.list, one.list, lists) && !(known && isBefore(known.list, other.list, lists)))
      first.set(one.pool, other);
  };
  for (const group of Map.groupBy(placed, ({ place }) => place).values()) {
    let reaching: Placed[] = [];
    // By their first addresses, so that each is compared only with those that reach it.
    for (const one of group.sort((left, right) => Number(left.pool.first - right.pool.first))) {
      reaching = reaching.filter(({ pool }) => pool.last >= one.pool.first);
      for (const other of reaching.filter((candidate) => meet(candidate, one))) {
        note(one, other);
        note(other, one);
      }
      // Of one list, the pool that reaches furthest is enough: comparing all of 30,000 took half a minute.
      const own = reaching.find(({ list }) => list === one.list);
      if (own === undefined) reaching.push(one);
      else if (own.pool.last < one.pool.last) reaching[reaching.indexOf(own)] = one;
    }
  }
  return first;
});

/** Whether two pools of one network belong to lists that run side by side. Two lists with one fixed address may take turns. */
function meet(one: Placed, other: Placed): boolean {
  if (one.list.name === other.list.name || one.pool.leases === other.pool.leases) return false;
  return commonAddress(one.pool, other.pool) !== undefined;
}

/** The networks on which a plugin's addresses must be unique. */
function networksOf(plugin: ListedPlugin): readonly string[] {
  const lan = lanOf(plugin);
  return [...(lan === undefined ? [] : [`on ${lan}`]), ...(isRouted(plugin) ? ["routed"] : [])];
}

/** The host's interface on which a plugin's addresses must be unique; undefined if that is not certain. */
function lanOf(plugin: ListedPlugin): string | undefined {
  const { profile, configuration } = plugin;
  const { vlan = 0 } = configuration;
  if (plugin.delegate === "bridge") return `${sharedDeviceName(profile, configuration)}.${JSON.stringify(vlan)}`;
  const master = lanMasterOf(plugin);
  return master && `${master}.0`;
}

/** Whether the host itself has a route to the plugin's addresses. It has one route to each subnet. */
function isRouted({ delegate, configuration }: ListedPlugin): boolean {
  return delegate === "ptp" || (delegate === "bridge" && isGateway(configuration));
}
