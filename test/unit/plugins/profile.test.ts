import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { deviceName, reportedBy } from "../../../cli/lists/list.ts";
import { profiles } from "../../../plugins/index.ts";
import type { NamingScope, Profile } from "../../../shared/plugin/profile.ts";

const all: readonly (readonly [string, Profile])[] = Object.entries(profiles);

/** The plugins with a property. */
const those = (has: (profile: Profile) => unknown) => all.filter(([, profile]) => has(profile)).map(([type]) => type);

test.each(all)("%s makes an interface if the reference plugin is one of the main ones", (type, { role }) => {
  const page = readFileSync(new URL(`../../../plugins/${type}/README.md`, import.meta.url), "utf8");
  const [, group] = new RegExp(`cni\\.dev/plugins/current/(main|meta)/${type}/`).exec(page) ?? [];
  expect(role).toBe(group === "main" ? "creator" : group);
});

// A file, a chain, a rule or a device of another attachment with the same name would go with it.
test("how the plugins name what they leave on the host", () => {
  const named = (scope: NamingScope) => those(({ names }) => names === scope);
  expect(named("network")).toEqual(["bandwidth"]);
  expect(named("container")).toEqual(["portmap"]);
  expect(named("interface")).toEqual(["tuning", "sbr", "vrf"]);
  expect(named("address")).toEqual(["firewall"]);
});

test("which plugins need a workaround", () => {
  expect(those(({ sharedDevice }) => sharedDevice)).toEqual(["bridge"]);
  expect(profiles.bridge.sharedDevice).toEqual({ key: "bridge", fallback: "cni0" });
  expect(those(({ masquerades }) => masquerades)).toEqual(["bridge", "ptp"]);
  expect(those(({ checksSpoofs }) => checksSpoofs)).toEqual(["bridge"]);
  expect(those(({ leasesFirst }) => leasesFirst)).toEqual(["ptp"]);
  expect(those(({ takesNamesake }) => takesNamesake)).toEqual(["tap"]);
  expect(those(({ checkNeedsIpam }) => checkNeedsIpam)).toEqual(["bridge"]);
  expect(those(({ delNeedsNamespace }) => delNeedsNamespace)).toEqual(["host-device"]);
  expect(those(({ delNeedsMaster }) => delNeedsMaster)).toEqual(["macvlan", "ipvlan", "vlan"]);
  expect(those(({ takesOverHostInterface }) => takesOverHostInterface)).toEqual(["ipvlan"]);
  expect(those(({ movesRoutes }) => movesRoutes)).toEqual(["sbr", "vrf"]);
  expect(those(({ repeatable }) => repeatable)).toEqual(["portmap"]);
});

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
