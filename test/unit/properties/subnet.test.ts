import { BlockList } from "node:net";
import fc from "fast-check";
import { expect, test } from "vitest";
import { subnetContains } from "../../../shared/plan/subnet.ts";

// Node's own, in C++, is the measure. Addresses are made near to their subnet, so that both answers occur.
test.each([
  ["ipv4", 32, fc.ipV4()],
  ["ipv6", 128, fc.ipV6()],
] as const)("%s: an address is in a subnet as Node has it", (family, bits, addresses) => {
  const pair = fc.tuple(addresses, addresses, fc.nat({ max: bits }), fc.boolean());
  fc.assert(
    fc.property(pair, ([base, other, length, same]) => {
      const address = same ? base : other;
      const list = new BlockList();
      list.addSubnet(base, length, family);
      expect(subnetContains(`${base}/${length}`, address)).toBe(list.check(address, family));
    }),
    { numRuns: 1000 },
  );
});

test("whatever is no subnet or no address breaks nothing", () => {
  const nearly = fc.stringMatching(/^[0-9a-f.:/x-]{0,24}$/);
  fc.assert(fc.property(nearly, nearly, (cidr, address) => typeof subnetContains(cidr, address) === "boolean"));
});
