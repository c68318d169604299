import { cidrOf, overlaps, type Range, rangeOf } from "../lists/addresses.ts";

/** Parses a subnet in CIDR notation; undefined if it is none. The address may be one inside. */
export function parseSubnet(text: string | undefined): Range | undefined {
  const cidr = cidrOf(text);
  return cidr && rangeOf(cidr);
}

/** Returns the first private subnet, of 4,094 addresses, that overlaps none of the others; undefined if all are taken. */
export function freeSubnet(taken: readonly Range[]): string | undefined {
  return candidates.find((candidate) => {
    const range = parseSubnet(candidate);
    return range && !taken.some((other) => overlaps(range, other));
  });
}

// 172.26.64.0/20 is missing, because it is Nomad's own.
const candidates = [
  ...Array.from({ length: 11 }, (_, index) => `172.26.${80 + 16 * index}.0/20`),
  ...Array.from({ length: 1024 }, (_, index) => `10.${64 + (index >> 4)}.${16 * (index & 15)}.0/20`),
];

/** The longest part of the upper half of a subnet that has none of these addresses, and not the last address. */
export function freePart({ bits, first, last }: Range, taken: readonly bigint[]): Range {
  const middle = first + (last - first + 1n) / 2n;
  const bounds = [middle - 1n, ...taken.filter((value) => value >= middle && value < last), last].sort(ascending);
  const gaps = bounds.slice(1).map((end, index) => ({ bits, first: (bounds[index] ?? 0n) + 1n, last: end - 1n }));
  return gaps.reduce((best, gap) => (gap.last - gap.first > best.last - best.first ? gap : best));
}

function ascending(one: bigint, other: bigint): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
