import { normalize } from "node:path";
import type { JSONPath } from "jsonc-parser";
import { ipamOf, leaseDirectoryOf } from "../../shared/journal/host-files.ts";
import { type Address, addressOf, addressText, cidrOf, contains, networkOf } from "./addresses.ts";
import { isRewritten } from "./chain.ts";
import { entriesOf, ipamTypeOf, rangeSetsOf } from "./ipam.ts";
import type { ListedPlugin } from "./list.ts";

/** Addresses that an IPAM plugin may give to one interface. */
export interface Pool {
  readonly plugin: ListedPlugin;
  /** Where the subnet or the address is in the file. */
  readonly path: JSONPath;
  readonly bits: Address["bits"];
  readonly first: bigint;
  readonly last: bigint;
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

// host-local fills in what is missing (Canonicalize, plugins/ipam/host-local/backend/allocator/range.go).
function leasedPools(plugin: ListedPlugin): readonly Pool[] {
  const leases = leasesOf(plugin);
  return rangeSetsOf(plugin)
    .flat()
    .flatMap(({ path, range }) => {
      const subnet = cidrOf(range.subnet);
      if (!subnet) return [];
      const { bits, length } = subnet;
      const network = networkOf(subnet);
      const broadcast = network + (1n << BigInt(bits - length)) - 1n;
      const inside = (key: string, fallback: bigint) => {
        const address = addressOf(range[key]);
        return address && contains(subnet, address) ? address.value : fallback;
      };
      const first = inside("rangeStart", network + 1n);
      const last = inside("rangeEnd", bits === 32 ? broadcast - 1n : broadcast);
      return [
        { plugin, path: [...path, "subnet"], bits, first, last, gateway: inside("gateway", network + 1n), leases },
      ];
    });
}
