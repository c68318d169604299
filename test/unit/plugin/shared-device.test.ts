import { describe, expect, test } from "vitest";
import { bridge } from "../../../plugins/bridge/profile.ts";
import type { SharedDevice } from "../../../shared/plugin/profile.ts";
import { deviceMac, macOriginFile, sharedDeviceName, withoutFloatingMac } from "../../../shared/plugin/shared-device.ts";
import type { JsonObject } from "../../../shared/protocol/json.ts";
import { frozen } from "../support/frozen.ts";
import { blue } from "../support/requests.ts";

const device = bridge.sharedDevice as SharedDevice;

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

  function shown(configuration: JsonObject, origin?: string): unknown {
    const mac = deviceMac(result, device, frozen(configuration));
    return mac && withoutFloatingMac(result, mac, origin, configuration);
  }

  test.each([
    [{ bridge: "br0", isGateway: true, ipam }],
    [{ bridge: "br0", isDefaultGateway: true, ipam }],
    [{ bridge: "br0", isGateway: true, isDefaultGateway: true, ipam, vlan: 0 }],
    [{ Bridge: "br0", ISGATEWAY: true, IPAM: { Type: "host-local" } }],
  ])("is compared if the plugin fixes it: %j", (configuration) => {
    expect(shown(configuration)).toBe(result);
    expect(shown(configuration, "1\n")).toStrictEqual(withoutMac);
  });

  test.each([
    [{ bridge: "br0" }],
    [{ bridge: "br0", ipam }],
    [{ bridge: "br0", isGateway: false, isDefaultGateway: false, ipam }],
    [{ bridge: "br0", isGateway: true }],
    [{ bridge: "br0", isGateway: true, ipam: {} }],
    [{ bridge: "br0", isGateway: true, ipam: { type: "" } }],
    [{ bridge: "br0", isGateway: true, ipam, vlan: 100 }],
  ])("is not compared if it follows the ports: %j", (configuration) => {
    expect(shown(configuration)).toStrictEqual(withoutMac);
    expect(shown(configuration, "3\n")).toBe(result);
  });

  test("does not matter if the result lists another device, or one in a container", () => {
    expect(shown({ bridge: "br1" })).toBeUndefined();
    const inside = { interfaces: result.interfaces.slice(1) };
    expect(deviceMac(inside, device, { bridge: "br0" })).toBeUndefined();
  });
});

describe("a device with a MAC that is fixed if both of two keys, one of two, and none of two are set", () => {
  const other: SharedDevice = {
    ...{ key: "link", fallback: "br0" },
    fixedMac: { all: ["a", "b"], any: ["c", "d"], none: ["e", "f"] },
  };

  test.each([
    [{ a: 1, b: 1, c: 1 }, true],
    [{ a: 1, b: 1, d: 1 }, true],
    [{ a: 1, c: 1 }, false],
    [{ b: 1, c: 1 }, false],
    [{ a: 1, b: 1 }, false],
    [{ a: 1, b: 1, c: 1, e: 1 }, false],
    [{ a: 1, b: 1, c: 1, f: 1 }, false],
  ])("%j: %s", (configuration, isFixed) => {
    const result = { interfaces: [{ name: "br0", mac: "02:00:00:00:00:01" }] };
    const mac = deviceMac(result, other, configuration);
    const shown = mac && withoutFloatingMac(result, mac, undefined, configuration);
    expect(shown).toEqual(isFixed ? result : { interfaces: [{ name: "br0" }] });
  });

  test("a result without interfaces does not have it", () => {
    expect(deviceMac({}, other, {})).toBeUndefined();
  });
});

describe("the kernel's file", () => {
  test("is the device's", () => {
    expect(macOriginFile("br0")).toBe("/sys/class/net/br0/addr_assign_type");
  });

  test.each(["", ".", "..", "../br0", "a/b", "br0\0", "sixteen-letters-"])("is none for %j", (name) => {
    expect(macOriginFile(name)).toBeUndefined();
  });
});
