import { BlockList } from "node:net";
import { expect, test } from "vitest";
import { subnetFinder } from "../../../shared/attachment/subnet.ts";
import fc from "../support/fast-check.ts";

type Family = "ipv4" | "ipv6";

const numRuns = 1000;

const subnetContains = (cidr: string, address: string) => subnetFinder(() => [cidr])(address);

// The reference is Node's own implementation, in C++.
test.each([
  ["ipv4", 32, 8, "."],
  ["ipv6", 128, 16, ":"],
] as const)("%s: an address is in a subnet if Node says so", (family, bits, bitsOfPart, separator) => {
  const write = (value: bigint) => parts(value, bits, bitsOfPart).map(digits(family)).join(separator);
  const count = { inside: 0, outside: 0 };
  fc.assert(
    fc.property(pairs(bits), ({ base, other, length }) => {
      // Go's net.IP takes these for IPv4 addresses, and Node does not.
      fc.pre(family === "ipv4" || [base, other].every((address) => address >> 32n !== 0xffffn));
      const list = new BlockList();
      list.addSubnet(write(base), length, family);
      const isInside = list.check(write(other), family);
      if (base !== other) count[isInside ? "inside" : "outside"]++;
      expect(subnetContains(`${write(base)}/${length}`, write(other))).toBe(isInside);
    }),
    { numRuns },
  );
  // Any number of runs has both answers often, and "inside" also for an address that is not the subnet's own.
  const tried = count.inside + count.outside;
  expect(count.inside / tried).toBeGreaterThan(1 / 3);
  expect(count.outside / tried).toBeGreaterThan(1 / 4);
});

test("ipv6: every spelling of an address means the same", () => {
  const spellings = fc.ipV6().map((text) => [text, new URL(`http://[${text}]`).hostname.slice(1, -1)] as const);
  const unmapped = spellings.filter(([, plain]) => !plain.startsWith("::ffff:"));
  fc.assert(
    fc.property(unmapped, ([text, plain]) => subnetContains(`${text}/128`, plain)),
    { numRuns },
  );
});

/** An address, a prefix length, and another address. The first different bit is at most three from the prefix's end. */
function pairs(bits: number): fc.Arbitrary<{ base: bigint; other: bigint; length: number }> {
  const address = fc.bigInt({ min: 0n, max: (1n << BigInt(bits)) - 1n });
  const distance = fc.integer({ min: -3, max: 3 });
  return fc.tuple(address, address, fc.nat({ max: bits }), distance).map(([base, noise, length, beforeEnd]) => {
    const different = BigInt(Math.min(Math.max(bits - length + beforeEnd, 0), bits));
    if (different === 0n) return { base, other: base, length };
    const highest = 1n << (different - 1n);
    return { base, other: base ^ (highest | (noise & (highest - 1n))), length };
  });
}

function parts(value: bigint, bits: number, bitsOfPart: number): number[] {
  const shifts = Array.from({ length: bits / bitsOfPart }, (_, index) => bits - (index + 1) * bitsOfPart);
  return shifts.map((shift) => Number(BigInt.asUintN(bitsOfPart, value >> BigInt(shift))));
}

function digits(family: Family): (part: number) => string {
  return (part) => part.toString(family === "ipv4" ? 10 : 16);
}
