import type { JSONPath } from "jsonc-parser";
import { parseIp } from "../../shared/attachment/subnet.ts";
import { goLookup, isJsonObject, type JsonObject } from "../../shared/protocol/json.ts";
import { ipamTypeOf } from "./ipam.ts";
import type { ListedPlugin } from "./list.ts";

/** The bits of an IP address and its value. */
export interface Address {
  readonly bits: 32 | 128;
  readonly value: bigint;
}

/** An address with the length of its subnet's prefix. */
export interface Cidr extends Address {
  readonly length: number;
}

/** One range of host-local, as written. */
export interface WrittenRange {
  readonly path: JSONPath;
  readonly range: JsonObject;
}

/** The `ipam` block of a plugin. Empty if there is none. */
export function ipamOf({ configuration }: ListedPlugin): JsonObject {
  const ipam = goLookup(configuration, "ipam");
  return isJsonObject(ipam) ? ipam : {};
}

/** Whether a plugin gets addresses for its interface. */
export function hasIpam({ configuration }: ListedPlugin): boolean {
  return ipamTypeOf(configuration) !== undefined;
}

/** The ranges of host-local, in sets: an interface gets an address of each set. The short form with `subnet` is the first. */
export function rangeSetsOf(plugin: ListedPlugin): readonly (readonly WrittenRange[])[] {
  const ipam = ipamOf(plugin);
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
export function entriesOf(plugin: ListedPlugin, key: string): readonly { path: JSONPath; entry: JsonObject }[] {
  const list = goLookup(ipamOf(plugin), key);
  return (Array.isArray(list) ? list : []).flatMap((entry, index) => {
    return isJsonObject(entry) ? [{ path: [...plugin.path, "ipam", key, index], entry }] : [];
  });
}

/** Parses an IP address; undefined if the value is none. */
export function addressOf(value: unknown): Address | undefined {
  const ip = typeof value === "string" ? parseIp(value) : undefined;
  return ip && { bits: ip.bits, value: BigInt(ip.value) };
}

/** Parses an address with a prefix length, or a subnet; undefined if the value is none. */
export function cidrOf(value: unknown): Cidr | undefined {
  const [, text, digits = ""] = (typeof value === "string" && /^([^/]+)\/(\d{1,3})$/.exec(value)) || [];
  const address = addressOf(text);
  const length = Number(digits);
  return address && length <= address.bits ? { ...address, length } : undefined;
}

/** The first address of a subnet, the one without host bits. */
export function networkOf({ bits, value, length }: Cidr): bigint {
  const host = BigInt(bits - length);
  return (value >> host) << host;
}

/** Whether an address is in a subnet. */
export function contains(subnet: Cidr, address: Address): boolean {
  return subnet.bits === address.bits && networkOf(subnet) === networkOf({ ...address, length: subnet.length });
}

/** Writes an IPv4 address for people; an IPv6 address in its full form. */
export function addressText({ bits, value }: Address): string {
  const size = bits === 32 ? 8n : 16n;
  const parts = Array.from(
    { length: bits / Number(size) },
    (_, index) => (value >> (BigInt(index) * size)) & ((1n << size) - 1n),
  );
  return parts
    .reverse()
    .map((part) => part.toString(bits === 32 ? 10 : 16))
    .join(bits === 32 ? "." : ":");
}
