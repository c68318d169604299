import { describe, expect, test } from "vitest";
import { bridge } from "../../../plugins/bridge/profile.ts";
import {
  fileDirectory,
  readDevice,
  sharedDeviceName,
  withOwnDirectory,
  withoutMac,
} from "../../../shared/plugin/profile.ts";
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

const shared = "/var/lib/cni/flannel";

test.each([
  ["in the list's network", "flannel", {}, "zone", shared],
  ["in a network of its own", "flannel", {}, "zone-eth1", `${shared}-zone-eth1`],
  ["with an empty directory", "flannel", { dataDir: "" }, "zone-eth1", `${shared}-zone-eth1`],
  ["with a directory from the list", "flannel", { dataDir: "/run/own" }, "zone-eth1", "/run/own"],
  ["with the key in another spelling", "flannel", { DATADIR: "/run/own" }, "zone-eth1", "/run/own"],
  ["that keeps no file by container", "bridge", { dataDir: "/run/own" }, "zone-eth1", undefined],
])("the directory of a plugin %s", (_, type, keys, network, expected) => {
  expect(fileDirectory(withOwnDirectory(frozen({ name: "zone", ...keys }), type, network), type)).toBe(expected);
});

test("a plugin that keeps no file by container gets no key", () => {
  expect(withOwnDirectory(frozen({ name: "zone" }), "bridge", "zone-eth1")).toStrictEqual({ name: "zone" });
});
