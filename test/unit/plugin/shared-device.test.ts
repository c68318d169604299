import { describe, expect, test } from "vitest";
import { bridge } from "../../../plugins/bridge/profile.ts";
import { readDevice, sharedDeviceName, withoutMac } from "../../../shared/plugin/profile.ts";
import { frozen } from "../support/frozen.ts";
import { blue } from "../support/requests.ts";

test.each([
  [{ bridge: "br0" }, "br0"],
  [{ BRIDGE: "br0" }, "br0"],
  [{}, "cni0"],
  [{ bridge: null }, "cni0"],
])("the device of %j is %s", (configuration, expected) => {
  expect(sharedDeviceName(bridge, frozen(configuration))).toBe(expected);
});

describe("the MAC of a shared device", () => {
  const result = frozen({
    cniVersion: "1.0.0",
    interfaces: [
      { name: "br0", mac: "follows its ports", mtu: 1500 },
      { name: "veth0", mac: "stays" },
      { name: "br0", mac: "stays, in a container", sandbox: blue },
    ],
    extra: true,
  });

  test("is left out, and nothing else", () => {
    const interfaces = [{ name: "br0" }, ...result.interfaces.slice(1)];
    expect(withoutMac(result, "br0")).toStrictEqual({ ...result, interfaces });
  });

  test.each([
    ["br1", result],
    ["br0", { interfaces: result.interfaces.slice(1) }],
    ["br0", {}],
  ])("leaves a result alone that does not list %s as a host-side interface: %#", (name, one) => {
    expect(withoutMac(one, name)).toBe(one);
  });
});

describe("the kernel's file", () => {
  const host = { readFile: (file: string) => `${file}\n` };

  test("is the device's", () => {
    expect(readDevice(host, "br0", "addr_assign_type")).toBe("/sys/class/net/br0/addr_assign_type");
  });

  test.each(["", ".", "..", "../br0", "a/b", "br0\0", "sixteen-letters-"])("is none for %j", (name) => {
    expect(readDevice(host, name, "addr_assign_type")).toBeUndefined();
  });
});
