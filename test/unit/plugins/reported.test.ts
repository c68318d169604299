import { expect, test } from "vitest";
import { deviceName, reportedBy } from "../../../cli/lists/list.ts";
import { profiles } from "../../../plugins/index.ts";

// No plugin has the last key, as none has a key for a device whose name it invents.
const configuration = { bridge: "disc0", master: "ens18", device: "ens19", undefined: "none" };

/** The host's devices: with a name, by default, or with a name that the plugin invents. */
function devicesOf(type: string, own: Record<string, string | number>): string[] {
  const { hostSide = [], uses } = reportedBy(type);
  return [...hostSide, ...(uses ? [uses] : [])].map(
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
  ...["tap", "dummy", "portmap", "tuning", "bandwidth", "firewall", "sbr", "vrf", "consul-cni"].map(
    (type): [string, string[], string[]] => [type, [], []],
  ),
])("the devices of %s on the host", (type, named, byDefault) => {
  expect(devicesOf(type, configuration)).toEqual(named);
  expect(devicesOf(type, {})).toEqual(byDefault);
});

test.each(["", 7])("%j is no name: the default counts", (master) => {
  expect(devicesOf("macvlan", { master })).toEqual(["default route"]);
});

test("only portmap publishes ports", () => {
  expect(Object.keys(profiles).filter((type) => reportedBy(type).publishes)).toEqual(["portmap"]);
});
