import { BlockList } from "node:net";
import { describe, expect, test } from "vitest";
import { addressText, overlaps } from "../../../../cli/lists/addresses.ts";
import { fields, freePart, freeSubnet, parseSubnet } from "../../../../cli/new/values.ts";
import fc from "../../support/fast-check.ts";

/** Parses a subnet that a test knows to be one. */
function range(cidr: string) {
  const parsed = parseSubnet(cidr);
  if (!parsed) throw new Error(`${cidr} is not a subnet`);
  return parsed;
}

test.each([
  ["10.1.2.3/24", "10.1.2.0", "10.1.2.255"],
  ["10.1.2.3/32", "10.1.2.3", "10.1.2.3"],
  ["255.255.255.255/0", "0.0.0.0", "255.255.255.255"],
  ["172.26.80.0/20", "172.26.80.0", "172.26.95.255"],
  ["fd00:1:2:3:4::5/64", "fd00:1:2:3::", "fd00:1:2:3:ffff:ffff:ffff:ffff"],
  ["::/0", "::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"],
])("the subnet of %s is from %s to %s", (cidr, first, last) => {
  const { bits, ...ends } = range(cidr);
  expect([ends.first, ends.last].map((value) => addressText({ bits, value }))).toEqual([first, last]);
});

test("subnets overlap as Node's own list of them says", () => {
  const cidr = fc
    .tuple(fc.integer({ min: 0, max: 2 ** 32 - 1 }), fc.integer({ min: 24, max: 32 }))
    .map(([address, length]) => {
      return `${addressText({ bits: 32, value: BigInt(address & ~0xff00) })}/${length}`;
    });
  fc.assert(
    fc.property(cidr, cidr, (one, other) => {
      const holds = (outer: string, inner: string) => {
        const list = new BlockList();
        list.addSubnet(outer.split("/")[0] ?? "", Number(outer.split("/")[1]));
        return list.check(addressText({ bits: 32, value: range(inner).first }));
      };
      expect(overlaps(range(one), range(other))).toBe(holds(one, other) || holds(other, one));
    }),
  );
});

describe("a free subnet", () => {
  test.each([
    [[], "172.26.80.0/20"],
    [["172.26.80.1/32"], "172.26.96.0/20"],
    [["172.26.64.0/19", "172.26.96.0/24"], "172.26.112.0/20"],
    [["172.16.0.0/12"], "10.64.0.0/20"],
    [["172.16.0.0/12", "10.64.0.0/11", "fd00::/8"], "10.96.0.0/20"],
  ])("next to %j is %s", (taken, expected) => {
    expect(freeSubnet(taken.map(range))).toBe(expected);
  });
});

test.each([
  ["10.0.0.0/24", [], "10.0.0.128", "10.0.0.254"],
  ["10.0.0.0/24", ["10.0.0.1", "10.0.0.255"], "10.0.0.128", "10.0.0.254"],
  ["10.0.0.0/24", ["10.0.0.254"], "10.0.0.128", "10.0.0.253"],
  ["10.0.0.0/24", ["10.0.0.130", "10.0.0.250"], "10.0.0.131", "10.0.0.249"],
  ["10.0.0.0/24", ["10.0.0.1", "10.0.0.200"], "10.0.0.128", "10.0.0.199"],
  ["10.0.0.0/24", ["10.0.0.128", "10.0.0.190"], "10.0.0.191", "10.0.0.254"],
  ["10.0.0.0/30", ["10.0.0.1"], "10.0.0.2", "10.0.0.2"],
])("the free part of the upper half of %s without %j is %s to %s", (cidr, taken, first, last) => {
  const part = freePart(
    range(cidr),
    taken.map((address) => range(`${address}/32`).first),
  );
  expect([addressText({ bits: 32, value: part.first }), addressText({ bits: 32, value: part.last })]).toEqual([
    first,
    last,
  ]);
});

describe("the suggestions of a host", () => {
  const host = {
    links: [],
    gateway: "10.1.0.1",
    subnets: [],
    interfaces: [] as { name: string; addresses: string[] }[],
  };
  const withAddresses = (...addresses: string[]) => ({
    ...host,
    interfaces: [
      { name: "ens18", addresses: ["10.9.0.1/24"] },
      { name: "ens19", addresses },
    ],
  });

  test.each([
    [["10.1.0.7/24"], "10.1.0.0/24"],
    [["fd00::7/64", "10.1.0.7/31", "10.1.0.7/30", "10.2.0.7/24"], "10.1.0.4/30"],
    [["fd00::7/24", "10.1.0.7/32"], undefined],
    [[], undefined],
  ])("the LAN of an interface with %j is %s", (addresses, lan) => {
    expect(fields.lan.suggest({ master: "ens19" }, withAddresses(...addresses))).toBe(lan);
    expect(fields.lan.suggest({ master: "ens20" }, withAddresses(...addresses))).toBeUndefined();
  });

  test.each([
    [{ lan: "10.1.0.0/24" }, "10.1.0.128", "10.1.0.254"],
    [{ lan: "10.1.0.0/24", gateway: "10.1.0.254" }, "10.1.0.128", "10.1.0.253"],
    [{ lan: "10.1.0.0/24", gateway: "fd00::1" }, "10.1.0.128", "10.1.0.254"],
  ])("of %j, containers get %s to %s", (values, lanStart, lanEnd) => {
    const { lanStart: start, lanEnd: end } = fields;
    expect(start.suggest(values, host)).toBe(lanStart);
    expect(end.suggest({ ...values, lanStart }, host)).toBe(lanEnd);
    // The operator chose another first address.
    expect(end.suggest({ ...values, lanStart: "10.1.0.5" }, host)).toBe("10.1.0.254");
    const taken = withAddresses(lanStart, "fd00::7/64");
    expect(start.suggest(values, taken)).toBe("10.1.0.129");
  });
});
