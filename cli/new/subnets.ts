import { addressOf, addressText, cidrOf, networkOf } from "../lists/addresses.ts";

/** A subnet, or a range of addresses. Addresses are numbers of 32 or 128 bits. */
export interface Range {
  readonly bits: 32 | 128;
  readonly first: bigint;
  readonly last: bigint;
}

/** Parses a subnet in CIDR notation; undefined if it is none. The address may be one inside. */
export function parseSubnet(text: string): Range | undefined {
  const cidr = cidrOf(text);
  if (!cidr) return undefined;
  const first = networkOf(cidr);
  return { bits: cidr.bits, first, last: first + (1n << BigInt(cidr.bits - cidr.length)) - 1n };
}

/** Writes a subnet in CIDR notation, with its first address. */
export function subnetText({ bits, first, last }: Range): string {
  return `${addressText({ bits, value: first })}/${bits - (last - first).toString(2).replace(/^0$/, "").length}`;
}

/** Returns the number of an address in the family of a range; undefined if it is none. */
export function numberOf(address: string, { bits }: Range): bigint | undefined {
  const ip = addressOf(address);
  return ip?.bits === bits ? ip.value : undefined;
}

/** Whether two ranges have an address in common. */
export function overlaps(one: Range, other: Range): boolean {
  return one.bits === other.bits && one.first <= other.last && other.first <= one.last;
}

/** Returns the first private subnet that overlaps none of the others; undefined if all are taken. */
export function freeSubnet(taken: readonly Range[]): Range | undefined {
  return candidates().find((candidate) => !taken.some((range) => overlaps(range, candidate)));
}

/** The longest part of the upper half of a subnet that has none of these addresses, and not the last address. */
export function freePart({ bits, first, last }: Range, taken: readonly bigint[]): Range {
  const middle = first + (last - first + 1n) / 2n;
  const bounds = [middle - 1n, ...taken.filter((value) => value >= middle && value < last), last].sort(ascending);
  const gaps = bounds.slice(1).map((end, index) => ({ bits, first: (bounds[index] ?? 0n) + 1n, last: end - 1n }));
  return gaps.reduce((best, gap) => (gap.last - gap.first > best.last - best.first ? gap : best));
}

/** Subnets of 4,094 addresses. 172.26.64.0/20 is missing, because it is Nomad's own. */
function candidates(): readonly Range[] {
  const size = 1n << 12n;
  const from = (start: string, count: number) => {
    const base = parseSubnet(start)?.first ?? 0n;
    return Array.from({ length: count }, (_, index) => base + BigInt(index) * size);
  };
  const starts = [...from("172.26.80.0/20", 91), ...from("10.64.0.0/20", 1024)];
  return starts.map((first) => ({ bits: 32, first, last: first + size - 1n }));
}

function ascending(one: bigint, other: bigint): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
