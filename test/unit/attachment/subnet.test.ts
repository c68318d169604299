import { expect, test } from "vitest";
import { subnetFinder } from "../../../shared/attachment/subnet.ts";

const subnetContains = (cidr: string, address: string) => subnetFinder(() => [cidr])(address);

test.each([
  ["10.0.0.1/32", "10.0.0.1"],
  ["FD00::2/64", "fd00::A"],
  ["::/0", "2001:db8::1"],
  ["2001:db8::/32", "2001:db8:1:2:3:4:192.0.2.1"],
  // Go's net.IP takes these for IPv4 addresses.
  ["::ffff:10.0.0.1/24", "10.0.0.7"],
  ["10.0.0.1/24", "::ffff:10.0.0.7"],
  ["10.0.0.1/24", "::ffff:0a00:0007"],
])("%s contains %s", (cidr, address) => {
  expect(subnetContains(cidr, address)).toBe(true);
});

test.each([
  ["172.16.5.2/24", ["172.16.6.1"]],
  ["", ["10.0.0.1"]],
  // Text that is not an address is in no subnet, not even in one that contains every address.
  [
    "0.0.0.0/0",
    ["10.0.0", "10.0.0.1.2", "10.0.0.256", "10.0.0.0001", "10.0.0.01", "10.0.0.-1", "10..0.0.1", "0xa.0.0.1"],
  ],
  ["0.0.0.0/0", ["", "10.0.1.", "10.0.0.;", "gateway", "::ffff:10.0.0.1x", "x\n::ffff:10.0.0.1", "fd00::1"]],
  ["::/0", ["fd00", "1:2:3:4:5:6:7", "0:0:0:0:0:0:0:0:1", "fd00::1::2", "1:2:3:4::5:6:7:8", "fd00:::1", "10.0.0.1"]],
  ["::/0", ["fd00::10000", "fd00::-1", "fd00::00001", "fd00::1 ", "fd00::g", "fd00::1g", "fd00::10.0.0.256"]],
])("%s contains none of %j", (cidr, addresses) => {
  expect(addresses.filter((address) => subnetContains(cidr, address))).toEqual([]);
});

test.each(["10.0.0.1", "10.0.0.1/", "10.0.0.1/x", "10.0.0.1/33", "10.0.0.1/-1", "10.0.0.1/1.5", "fd00::1/129"])(
  "%s is not a subnet and does not throw",
  (cidr) => {
    for (const address of ["10.0.0.1", "10.9.9.9", "fd00::1"]) expect(subnetContains(cidr, address)).toBe(false);
  },
);
