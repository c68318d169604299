import { normalize } from "node:path";
import type { JSONPath } from "jsonc-parser";
import { leaseDirectoryOf } from "../../shared/journal/host-files.ts";
import { goLookup, ipamOf, isJsonObject, type JsonObject } from "../../shared/protocol/json.ts";
import { isInOtherTable } from "../../shared/protocol/result.ts";
import type { PluginFolder } from "../host/read-plugin-folder.ts";
import { addressOf, addressText, cidrOf, contains, type FilledRange, rangeOf } from "./addresses.ts";
import { isOlder } from "./installed.ts";
import { isRewritten, type ListedPlugin } from "./list.ts";

/** A plugin configuration, and its place in the file. */
type Configured = Pick<ListedPlugin, "configuration" | "path">;

/** One range of host-local, as written. */
export type WrittenRange = ReturnType<typeof rangeSetsOf>[number][number];

/** Whether a plugin gets addresses for its interface. */
export function hasIpam({ configuration }: ListedPlugin): boolean {
  return ipamTypeOf(configuration) !== undefined;
}

/** The ranges of host-local, in sets: an interface gets an address of each set. The short form with `subnet` is the first. */
export function rangeSetsOf(plugin: Configured) {
  const ipam = ipamOf(plugin.configuration);
  if (goLookup(ipam, "type") !== "host-local") return [];
  const path = [...plugin.path, "ipam"];
  const short = typeof goLookup(ipam, "subnet") === "string" ? [[{ path, range: ipam }]] : [];
  const ranges = goLookup(ipam, "ranges");
  const sets = Array.isArray(ranges) ? ranges : [];
  return [
    ...short,
    ...sets.map((set, index) =>
      (Array.isArray(set) ? set : []).flatMap((range, place) => {
        return isJsonObject(range) ? [{ path: [...path, "ranges", index, place], range }] : [];
      }),
    ),
  ];
}

/** The entries of a list in the `ipam` block, such as `routes` and `addresses`, with their places. */
export function entriesOf(plugin: Configured, key: string): readonly { path: JSONPath; entry: JsonObject }[] {
  const list = goLookup(ipamOf(plugin.configuration), key);
  return (Array.isArray(list) ? list : []).flatMap((entry, index) => {
    return isJsonObject(entry) ? [{ path: [...plugin.path, "ipam", key, index], entry }] : [];
  });
}

/** The routes of a plugin that are not in the main table, the only one in which its CHECK looks. */
export function routesElsewhere(plugin: Configured): ReturnType<typeof entriesOf> {
  return entriesOf(plugin, "routes").filter(({ entry }) => typeof entry.table === "number" && isInOtherTable(entry));
}

/** The subnets of an interface's addresses that are certain, as written: of static, and of host-local's sets with one range. */
export function certainSubnets(plugin: ListedPlugin): readonly { path: JSONPath; subnet: unknown; gateway: unknown }[] {
  const fixed = ipamTypeOf(plugin.configuration) === "static" ? entriesOf(plugin, "addresses") : [];
  const leased = rangeSetsOf(plugin).flatMap((set) => (set.length === 1 ? set : []));
  return [
    ...leased.map(({ path, range: { subnet, gateway } }) => ({ path, subnet, gateway })),
    ...fixed.map(({ path, entry: { address, gateway } }) => ({ path, subnet: address, gateway })),
  ];
}

/** Returns the type of a plugin's IPAM plugin; undefined if it has none. */
export function ipamTypeOf(configuration: JsonObject): string | undefined {
  const type = goLookup(ipamOf(configuration), "type");
  return typeof type === "string" && type !== "" ? type : undefined;
}

/** Returns the executables that a plugin needs, with their places: its own, the one behind a wrapper, and its IPAM plugin. */
export function pluginNamesIn(plugin: ListedPlugin): readonly { name: string; path: JSONPath }[] {
  const { type, delegate, wrapper, path, configuration } = plugin;
  const own = { name: type, path: [...path, "type"] };
  const named = wrapper.delegate === undefined ? own.path : [...path, "wrapper", "delegate"];
  const behind = delegate === type ? [] : [{ name: delegate, path: named }];
  const ipam = ipamTypeOf(configuration);
  return [own, ...behind, ...(ipam === undefined ? [] : [{ name: ipam, path: [...path, "ipam", "type"] }])];
}

/** Addresses that an IPAM plugin may give to one interface. */
export interface Pool extends Omit<FilledRange, "gateway"> {
  readonly plugin: ListedPlugin;
  /** Where the subnet or the address is in the file. */
  readonly path: JSONPath;
  /** Undefined for fixed addresses. */
  readonly gateway: bigint | undefined;
  /** The directory with the leases. Pools of one directory do not give out an address twice. Undefined for fixed addresses. */
  readonly leases: string | undefined;
}

/** The directory in which host-local keeps the leases of a plugin, as one spelling. */
export function leasesOf(plugin: ListedPlugin): string {
  // `/var/run` is a link to `/run` on every host with systemd.
  return normalize(leaseDirectoryOf(ipamOf(plugin.configuration), plugin.network)).replace(/^\/var\/run\//, "/run/");
}

/**
 * Whether host-local refuses a gateway outside its subnet, and a range that begins behind its end. It does from 1.10.0 on, also on
 * CHECK and DEL. A host whose version is not known may be upgraded to it.
 */
export function isStrict(plugins: PluginFolder | undefined): boolean {
  const version = plugins?.find("host-local")?.version;
  return version === undefined || !isOlder(version, "1.10.0");
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
    const { value, ...size } = cidr;
    return [
      { plugin, path: [...path, "address"], ...size, first: value, last: value, gateway: undefined, leases: undefined },
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

/** Returns a range with what host-local fills in (backend/allocator/range.go, Canonicalize); undefined if its subnet is none. */
export function filledRange(range: JsonObject): FilledRange | undefined {
  const subnet = cidrOf(range.subnet);
  if (!subnet) return undefined;
  const { bits, first, last } = rangeOf(subnet);
  const inside = (key: string, fallback: bigint) => {
    const address = addressOf(range[key]);
    return address && contains(subnet, address) ? address.value : fallback;
  };
  return {
    bits,
    length: subnet.length,
    first: inside("rangeStart", first + 1n),
    last: inside("rangeEnd", bits === 32 ? last - 1n : last),
    gateway: addressOf(range.gateway)?.value ?? first + 1n,
  };
}
