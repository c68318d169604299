import { describe, expect, test } from "vitest";
import type { SharedDevice } from "../../../shared/plan/profile.ts";
import { sharedDeviceName, withoutFloatingMac } from "../../../shared/plan/shared-device.ts";
import { frozen } from "../support/frozen.ts";
import { blue } from "../support/requests.ts";

const device: SharedDevice = {
  key: "bridge",
  fallback: "cni0",
  fixedMac: { all: ["ipam"], any: ["isGateway", "isDefaultGateway"], none: ["vlan"] },
};

test.each([
  [{ bridge: "br0" }, "br0"],
  [{ BRIDGE: "br0" }, "br0"],
  [{}, "cni0"],
  [{ bridge: null }, "cni0"],
])("the device of %j is %s", (configuration, expected) => {
  expect(sharedDeviceName(device, frozen(configuration))).toBe(expected);
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
  const withoutMac = {
    ...result,
    interfaces: [{ name: "br0" }, ...result.interfaces.slice(1)],
  };
  const ipam = { type: "host-local" };

  test.each([
    [{ bridge: "br0", isGateway: true, ipam }],
    [{ bridge: "br0", isDefaultGateway: true, ipam }],
    [{ bridge: "br0", isGateway: true, isDefaultGateway: true, ipam, vlan: 0 }],
    [{ Bridge: "br0", ISGATEWAY: true, IPAM: { Type: "host-local" } }],
  ])("is compared where the plugin has fixed it: %j", (configuration) => {
    expect(withoutFloatingMac(result, device, frozen(configuration))).toBe(result);
  });

  test.each([
    [{ bridge: "br0" }],
    [{ bridge: "br0", ipam }],
    [{ bridge: "br0", isGateway: false, isDefaultGateway: false, ipam }],
    [{ bridge: "br0", isGateway: true }],
    [{ bridge: "br0", isGateway: true, ipam: {} }],
    [{ bridge: "br0", isGateway: true, ipam: { type: "" } }],
    [{ bridge: "br0", isGateway: true, ipam, vlan: 100 }],
  ])("is not compared where it follows the ports: %j", (configuration) => {
    expect(withoutFloatingMac(result, device, frozen(configuration))).toStrictEqual(withoutMac);
  });

  test("another device's is compared", () => {
    expect(withoutFloatingMac(result, device, { bridge: "br1" })).toStrictEqual(result);
  });
});
