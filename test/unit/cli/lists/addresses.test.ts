import { expect, test } from "vitest";
import { type Cidr, cidrOf, overlaps, type Range } from "../../../../cli/lists/addresses.ts";
import { excludes, gatewaysIn } from "../../../../cli/lists/gateways.ts";
import { parsedList } from "../explain/support.ts";

function cidr(text: string): Cidr {
  const parsed = cidrOf(text);
  if (!parsed) throw new Error(`${text} is no subnet`);
  return parsed;
}

test("ranges overlap in one address, whichever comes first, and never if they are of two kinds", () => {
  const range = (first: bigint, last: bigint, bits: Range["bits"] = 32) => ({ bits, first, last });
  expect([overlaps(range(1n, 5n), range(5n, 9n)), overlaps(range(5n, 9n), range(1n, 5n))]).toEqual([true, true]);
  expect([overlaps(range(1n, 5n), range(6n, 9n)), overlaps(range(6n, 9n), range(1n, 5n))]).toEqual([false, false]);
  expect(overlaps(range(1n, 5n), range(1n, 5n, 128))).toBe(false);
});

// ensureAddr of the bridge plugin: any other IPv4 address, and an IPv6 address of an overlapping subnet.
test.each([
  ["10.0.0.1/24", "10.0.0.1/24", false],
  ["10.0.0.1/24", "10.0.0.1/25", true],
  ["10.0.0.1/24", "10.9.0.1/24", true],
  ["10.0.0.1/24", "fd00::1/64", false],
  ["fd00::1/64", "fd00::1/64", false],
  ["fd00::1/64", "fd00::1/80", true],
  ["fd00::1/64", "fd00::1:0:0:0:1/48", true],
  ["fd00::1/64", "fd01::1/64", false],
])("a bridge with %s refuses %s: %s", (one, other, refuses) => {
  expect([excludes(cidr(one), cidr(other)), excludes(cidr(other), cidr(one))]).toEqual([refuses, refuses]);
});

const subnet = { type: "host-local", subnet: "10.0.0.0/24" };
const gateway = { type: "bridge", isGateway: true, ipam: subnet };

test.each<[string, object, [bridge: string, value: bigint, length: number][]]>([
  ["a gateway", gateway, [["cni0", 0x0a000001n, 24]]],
  ["another bridge", { ...gateway, bridge: "br1" }, [["br1", 0x0a000001n, 24]]],
  ["a default gateway", { ...gateway, isGateway: false, isDefaultGateway: true }, [["cni0", 0x0a000001n, 24]]],
  ["its address", { ...gateway, ipam: { ...subnet, gateway: "10.0.0.9" } }, [["cni0", 0x0a000009n, 24]]],
  ["no address", { ...gateway, ipam: { ...subnet, gateway: "nine" } }, []],
  ["no subnet", { ...gateway, ipam: { type: "host-local", subnet: "ten" } }, []],
  ["no gateway", { ...gateway, isGateway: false }, []],
  ["an address that takes another one's place", { ...gateway, forceAddress: true }, [["cni0", 0x0a000001n, 24]]],
  ["a VLAN's address", { ...gateway, vlan: 7 }, []],
  ["a rewritten configuration", { ...gateway, type: "bridge-wrapper", wrapper: { jq: "." } }, []],
  ["a plugin without a bridge", { ...gateway, type: "macvlan" }, []],
  ["an unknown plugin", { ...gateway, type: "cni-wrappers", wrapper: { delegate: "acme", role: "creator" } }, []],
])("the addresses of bridges: %s", (_, plugin, expected) => {
  const found = gatewaysIn(parsedList({ name: "zone", plugins: [plugin] }));
  expect(found.map(({ key, cidr: { value, length } }) => [key, value, length])).toEqual(expected);
});
