import { normalize } from "node:path";
import type { JSONPath } from "jsonc-parser";
import { ipamOf, leaseDirectoryOf } from "../../shared/journal/host-files.ts";
import type { JsonObject } from "../../shared/protocol/json.ts";
import { addressOf, addressText, cidrOf, contains, type Range, rangeOf } from "./addresses.ts";
import { isRewritten } from "./chain.ts";
import { entriesOf, ipamTypeOf, rangeSetsOf } from "./ipam.ts";
import type { ListedPlugin } from "./list.ts";

/** Addresses that an IPAM plugin may give to one interface. */
export interface Pool extends Range {
  readonly plugin: ListedPlugin;
  /** Where the subnet or the address is in the file. */
  readonly path: JSONPath;
  /** An address in between that host-local does not give out. */
  readonly gateway: bigint | undefined;
  /** The directory with the leases. Pools of one directory do not give out an address twice. Undefined for fixed addresses. */
  readonly leases: string | undefined;
}

/** The directory in which host-local keeps the leases of a plugin, as one spelling. */
export function leasesOf(plugin: ListedPlugin): string {
  // `/var/run` is a link to `/run` on every host with systemd.
  return normalize(leaseDirectoryOf(ipamOf(plugin.configuration), plugin.network)).replace(/^\/var\/run\//, "/run/");
}

/** The pools of a plugin: host-local's ranges, and the fixed addresses of static. Invalid ones are left out. */
export function poolsOf(plugin: ListedPlugin): readonly Pool[] {
  if (isRewritten(plugin)) return [];
  return ipamTypeOf(plugin.configuration) === "static" ? fixedPools(plugin) : leasedPools(plugin);
}

/** Returns the first address that both pools may give out; undefined if there is none. */
export function commonAddress(one: Pool, other: Pool): string | undefined {
  if (one.bits !== other.bits) return undefined;
  const gateways = [one.gateway, other.gateway];
  let value = one.first > other.first ? one.first : other.first;
  while (gateways.includes(value)) value++;
  const last = one.last < other.last ? one.last : other.last;
  return value <= last ? addressText({ bits: one.bits, value }) : undefined;
}

function fixedPools(plugin: ListedPlugin): readonly Pool[] {
  return entriesOf(plugin, "addresses").flatMap(({ path, entry }) => {
    const cidr = cidrOf(entry.address);
    if (!cidr) return [];
    const { bits, value } = cidr;
    return [
      { plugin, path: [...path, "address"], bits, first: value, last: value, gateway: undefined, leases: undefined },
    ];
  });
}

function leasedPools(plugin: ListedPlugin): readonly Pool[] {
  const leases = leasesOf(plugin);
  const ranges = rangeSetsOf(plugin).flat();
  return ranges.flatMap(({ path, range }) => {
    const filled = filledRange(range);
    return filled ? [{ plugin, path: [...path, "subnet"], ...filled, leases }] : [];
  });
}

/**
 * Returns a range of host-local, which fills in what is missing (Canonicalize,
 * plugins/ipam/host-local/backend/allocator/range.go); undefined if its subnet is none.
 */
export function filledRange(range: JsonObject): (Range & { readonly gateway: bigint }) | undefined {
  const subnet = cidrOf(range.subnet);
  if (!subnet) return undefined;
  const { bits, first, last } = rangeOf(subnet);
  const inside = (key: string, fallback: bigint) => {
    const address = addressOf(range[key]);
    return address && contains(subnet, address) ? address.value : fallback;
  };
  return {
    bits,
    first: inside("rangeStart", first + 1n),
    last: inside("rangeEnd", bits === 32 ? last - 1n : last),
    gateway: addressOf(range.gateway)?.value ?? first + 1n,
  };
}
