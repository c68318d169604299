import { parseCidr, parseIp } from "../../shared/attachment/subnet.ts";

/** The bits of an IP address and its value. */
export interface Address {
  readonly bits: 32 | 128;
  readonly value: bigint;
}

/** An address with the length of its subnet's prefix. */
export interface Cidr extends Address {
  readonly length: number;
}

/** Parses an IP address; undefined if the value is none. */
export function addressOf(value: unknown): Address | undefined {
  const ip = typeof value === "string" ? parseIp(value) : undefined;
  return ip && { bits: ip.bits, value: BigInt(ip.value) };
}

/** Parses an address with a prefix length, or a subnet; undefined if the value is none. */
export function cidrOf(value: unknown): Cidr | undefined {
  const cidr = typeof value === "string" ? parseCidr(value) : undefined;
  return cidr && { bits: cidr.ip.bits, value: BigInt(cidr.ip.value), length: cidr.length };
}

/** The first address of a subnet, the one without host bits. */
export function networkOf({ bits, value, length }: Cidr): bigint {
  const host = BigInt(bits - length);
  return (value >> host) << host;
}

/** Whether an address is in a subnet. No address is in none. */
export function contains(subnet: Cidr, address: Address | undefined): boolean {
  if (subnet.bits !== address?.bits) return false;
  return networkOf(subnet) === networkOf({ ...address, length: subnet.length });
}

/** Addresses from the first to the last one. */
export interface Range {
  readonly bits: Address["bits"];
  readonly first: bigint;
  readonly last: bigint;
}

/** A range of host-local with all that it fills in. */
export interface FilledRange extends Range {
  /** The length of the prefix that an address gets. */
  readonly length: number;
  /** An address in between that host-local does not give out. */
  readonly gateway: bigint;
}

/** All addresses of a subnet. */
export function rangeOf(subnet: Cidr): Range {
  const { bits, length } = subnet;
  const first = networkOf(subnet);
  return { bits, first, last: first + (1n << BigInt(bits - length)) - 1n };
}

/** Whether an address is in a range. No address is in none. */
export function isInRange({ bits, first, last }: Range, address: Address | undefined): boolean {
  return address !== undefined && address.bits === bits && first <= address.value && address.value <= last;
}

/** Whether a pool with this range may give out an address. */
export function givesOut(range: Range & { readonly gateway: bigint | undefined }, address: Address): boolean {
  return isInRange(range, address) && address.value !== range.gateway;
}

/** Whether two ranges have an address in common. */
export function overlaps(one: Range, other: Range): boolean {
  return one.bits === other.bits && one.first <= other.last && other.first <= one.last;
}

/** Writes an address: an IPv6 address in its shortest spelling, as Go does (RFC 5952). */
export function addressText({ bits, value }: Address): string {
  if (bits === 32) return [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 0xffn).join(".");
  const groups = value.toString(16).padStart(32, "0").match(/.{4}/g) ?? [];
  return new URL(`http://[${groups.join(":")}]`).hostname.slice(1, -1);
}
