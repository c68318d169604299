import { expect, test } from "vitest";
import { deviceName, reportedBy } from "../../../cli/lists/reported.ts";

const configuration = { bridge: "disc0", master: "ens18", device: "ens19", egressRate: 8000 };

/** The host's devices in a drawing: with a name, by default, or with a name that the plugin invents. */
function devicesOf(type: string, own: Record<string, string | number>): string[] {
  const { hostSide = [], uses, adds } = reportedBy(type);
  const added = adds && adds.key in own ? [adds.device] : [];
  return [...hostSide, ...(uses ? [uses] : []), ...added].map(
    (device) => deviceName(device, own) ?? ("prefix" in device ? `${device.prefix}*` : "nothing"),
  );
}

test.each([
  ["bridge", ["disc0", "veth*"], ["cni0", "veth*"]],
  ["macvlan", ["ens18"], ["default route"]],
  ["ptp", ["veth*"], ["veth*"]],
  ["ipvlan", ["ens18"], ["default route"]],
  ["vlan", ["ens18"], ["a host interface"]],
  ["host-device", ["ens19"], ["a host interface"]],
  ["bandwidth", ["bwp*"], []],
  ...["tap", "dummy", "portmap", "tuning", "firewall", "sbr", "vrf", "consul-cni"].map(
    (type): [string, string[], string[]] => [type, [], []],
  ),
])("the devices of %s on the host", (type, named, byDefault) => {
  expect(devicesOf(type, configuration)).toEqual(named);
  expect(devicesOf(type, {})).toEqual(byDefault);
});

test("an empty name, or one that is no text, is the default", () => {
  expect([devicesOf("macvlan", { master: "" }), devicesOf("macvlan", { master: 7 })]).toEqual([
    ["default route"],
    ["default route"],
  ]);
});

test("only bridge adds a default route, only portmap publishes ports, only tuning sets the MAC", () => {
  const all = ["bridge", "macvlan", "ptp", "ipvlan", "vlan", "host-device", "tap", "dummy", "portmap", "tuning"];
  const found = [...all, "bandwidth", "firewall", "sbr", "vrf"].map((type) => [type, reportedBy(type)] as const);
  expect(found.flatMap(([type, { defaultRoute }]) => (defaultRoute ? [[type, defaultRoute]] : []))).toEqual([
    ["bridge", "isDefaultGateway"],
  ]);
  expect(found.flatMap(([type, { publishes }]) => (publishes ? [type] : []))).toEqual(["portmap"]);
  expect(found.flatMap(([type, { setsMac }]) => (setsMac ? [[type, setsMac]] : []))).toEqual([["tuning", "mac"]]);
});
