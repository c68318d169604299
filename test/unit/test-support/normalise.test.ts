import { expect, test } from "vitest";
import { normalise } from "../../support/normalise.ts";

const one = {
  links: [
    { ifname: "eth0", address: "ae:94:7e:07:ba:9b", link: "veth570f251e" },
    { ifname: "br0", address: "7a:b5:1d:c0:5c:6b", bridge_id: "8000.7a:b5:1d:c0:5c:6b" },
  ],
  addresses: ["10.20.0.2/24", "fe80::ac94:7eff:fe07:ba9b"],
  result: { name: "veth570f251e", mac: "ae:94:7e:07:ba:9b" },
};

const other = {
  links: [
    { ifname: "eth0", address: "02:00:00:01:5c:0c", link: "veth01020304" },
    { ifname: "br0", address: "0e:b5:0d:c0:5c:6b", bridge_id: "8000.e:b5:d:c0:5c:6b" },
  ],
  addresses: ["10.20.0.2/24", "fe80::ff:fe01:5c0c"],
  result: { name: "veth01020304", mac: "02:00:00:01:5c:0c" },
};

test("two labs that differ in random values only are the same", () => {
  expect(normalise(one)).toEqual(normalise(other));
});

test.each([
  ["an address", { ...other, addresses: ["10.20.0.3/24", "fe80::ff:fe01:5c0c"] }],
  ["a link-local address of another MAC", { ...other, addresses: ["10.20.0.2/24", "fe80::ff:fe01:5c0d"] }],
  ["a link-local address that is not made of a MAC", { ...other, addresses: ["10.20.0.2/24", "fe80::1"] }],
  ["a link more", { ...other, links: [...other.links, { ifname: "veth0a0b0c0d" }] }],
  ["a name that is not random", { ...other, result: { ...other.result, name: "eth0" } }],
  ["another veth than the link's in the result", { ...other, result: { ...other.result, name: "veth99999999" } }],
  ["another MAC than the link's in the result", { ...other, result: { ...other.result, mac: "0e:b5:0d:c0:5c:6b" } }],
  ["no MAC in the result", { ...other, result: { ...other.result, mac: "00:00:00:00:00:00" } }],
  ["a key that is not there", { ...other, result: { name: "veth01020304" } }],
  ["another order", { ...other, links: other.links.toReversed() }],
])("a real difference is still seen: %s", (_, changed) => {
  expect(normalise(changed)).not.toEqual(normalise(one));
});

test("a MAC that a test has chosen stays", () => {
  const mac = "02:00:00:00:00:77";
  expect(normalise([mac, "ae:94:7e:07:ba:9b"], { keep: [mac] })).toEqual([mac, "<mac 1>"]);
});

test("an IPv6 address is not taken for a MAC", () => {
  expect(normalise("fd00:12:34:56:78:9a:bc:de")).toBe("fd00:12:34:56:78:9a:bc:de");
});
