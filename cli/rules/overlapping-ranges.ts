import { sharedDeviceName } from "../../shared/plugin/profile.ts";
import type { FoundAt, ListRule } from "../lint/rule.ts";
import { creatorsOf } from "../lists/chain.ts";
import { commonAddress, type Pool, poolsOf } from "../lists/leases.ts";
import type { List, ListedPlugin } from "../lists/list.ts";
import { nameOf, neighboursBefore, perList } from "../lists/neighbours.ts";

/** IPAM plugins that do not know each other's leases give out an address twice. */
export const overlappingRanges: ListRule = {
  of: "list",
  code: "overlapping-ranges",
  severity: "error",
  title: "Two interfaces can get the same address.",
  page: `A renamed interface keeps its leases in a network of its own (\`zone-eth1\`), so host-local does not know the leases of
the other interface (\`zone\`). If their ranges overlap, both get the same address sooner or later, and ADD fails with code
107 (\`address 172.26.64.2/20 is taken\`). A fixed address can be taken in the same way. Give each interface a subnet of its
own. Or set \`wrapper.network\` to the name of the list: both interfaces then share one pool of leases.

The lists of a directory do not know each other's leases either. If the ranges of two lists overlap on one bridge, on one
\`master\`, or on two networks that the host routes to, ADD passes, and two containers have one address. Give each list a
subnet of its own, or a part of it with \`rangeStart\` and \`rangeEnd\`.`,
  find(list, { lists }) {
    const pools = poolsIn(list);
    const others = neighboursBefore(list, lists);
    return pools.flatMap((pool, index) => {
      return foundIn(list, pool, pools.slice(0, index)) ?? foundElsewhere(pool, others) ?? [];
    });
  },
};

const poolsIn = perList((list) => creatorsOf(list).flatMap(poolsOf));

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

function foundElsewhere(pool: Pool, lists: readonly List[]): FoundAt | undefined {
  for (const list of lists) {
    const other = poolsIn(list).find((candidate) => meet(pool, candidate));
    const address = other && commonAddress(pool, other);
    if (address === undefined) continue;
    const message = `${pool.plugin.ifName} can get ${address}, and so can ${other?.plugin.ifName} of ${nameOf(list)}: two containers would have one address`;
    return { at: pool.path, message, hint: "Use another subnet, or divide this one with rangeStart and rangeEnd" };
  }
  return undefined;
}

/** Whether two lists' pools are for one network. Two lists with one fixed address may take turns. */
function meet(one: Pool, other: Pool): boolean {
  if (one.leases === other.leases) return false;
  const [lan, otherLan] = [lanOf(one.plugin), lanOf(other.plugin)];
  const isOneLan = lan !== undefined && lan === otherLan;
  return (isOneLan || (isRouted(one.plugin) && isRouted(other.plugin))) && commonAddress(one, other) !== undefined;
}

/** The host's interface on which a plugin's addresses must be unique; undefined if that is not certain. */
function lanOf({ delegate, profile, configuration }: ListedPlugin): string | undefined {
  const { master, linkInContainer, vlan = 0 } = configuration;
  if (delegate === "bridge" && profile?.sharedDevice)
    return `${sharedDeviceName(profile.sharedDevice, configuration)}.${vlan}`;
  const isOnMaster = /^(?:macvlan|ipvlan)$/.test(delegate) && linkInContainer !== true;
  return isOnMaster && typeof master === "string" && master !== "" ? `${master}.0` : undefined;
}

/** Whether the host itself has a route to the plugin's addresses. It has one route to each subnet. */
function isRouted({ delegate, configuration: { isGateway, isDefaultGateway } }: ListedPlugin): boolean {
  return delegate === "ptp" || (delegate === "bridge" && (isGateway === true || isDefaultGateway === true));
}
