import { describe, expect, test } from "vitest";
import type { InstalledPlugin, PluginFolder } from "../../../../cli/host/read-plugin-folder.ts";
import { installedVersion, isNewer } from "../../../../cli/lists/installed.ts";
import { certainSubnets, commonAddress, isStrict, pluginNamesIn, poolsOf } from "../../../../cli/lists/ipam.ts";
import { firstPortOf } from "../../../../cli/lists/list.ts";
import { parsedList } from "../explain/support.ts";

function pluginOf(plugin: object) {
  const [first] = parsedList({ name: "zone", plugins: [plugin] }).plugins;
  if (!first) throw new Error("no plugin");
  return first;
}

const withIpam = (ipam: object) => pluginOf({ type: "bridge", ipam });
const leased = (range: object) => withIpam({ type: "host-local", ...range });

/** A folder with these versions. Behind each wrapper is 0.8.0. */
function folderOf(versions: Record<string, string | undefined>): PluginFolder {
  const installed = (version: string | undefined) => ({ version }) as InstalledPlugin;
  const find = (type: string) => (type in versions ? installed(versions[type]) : undefined);
  return { directories: [], find, findDelegate: () => installed("0.8.0"), findForNomad: () => undefined };
}

describe("pools", () => {
  const ends = (ipam: object) =>
    poolsOf(withIpam(ipam)).map(({ bits, first, last, gateway }) => [bits, first, last, gateway]);

  const subnet = "10.0.0.0/24";
  const [first, six] = [0x0a000001n, 0xfd00n << 112n];
  const whole = [32, first, 0x0a0000fen, first];
  const sets = [["x", { subnet: "10.0.0.0/30" }], 7];

  test.each<[string, object, unknown[]]>([
    ["a subnet", { subnet }, [whole]],
    ["an IPv6 subnet", { subnet: "fd00::/120" }, [[128, six + 1n, six + 255n, six + 1n]]],
    ["ends outside", { subnet, rangeStart: "10.0.1.16", rangeEnd: "10.0.1.31" }, [whole]],
    ["sets, without what is no range", { ranges: sets }, [[32, first, 0x0a000002n, first]]],
    ["no subnet", { subnet: "ten" }, []],
  ])("host-local: %s", (_, range, expected) => {
    expect(ends({ type: "host-local", ...range })).toEqual(expected);
  });

  test("another IPAM plugin, and a configuration that jq rewrites, have none that lint knows", () => {
    const ipam = { type: "host-local", subnet };
    expect(ends({ ...ipam, type: "dhcp" })).toEqual([]);
    expect(poolsOf(pluginOf({ type: "bridge-wrapper", ipam, wrapper: { jq: "." } }))).toEqual([]);
  });

  test.each([
    [undefined, "/var/lib/cni/networks/zone"],
    ["/var/run/leases/", "/run/leases/zone"],
    ["/srv/var/run/leases", "/srv/var/run/leases/zone"],
  ])("the leases of dataDir %s are in %s", (dataDir, directory) => {
    expect(poolsOf(leased({ subnet, dataDir }))).toMatchObject([
      { leases: directory, path: ["plugins", 0, "ipam", "subnet"] },
    ]);
  });

  test.each<[object, object, string | undefined]>([
    [{ subnet }, { subnet: "10.0.0.0/25" }, "10.0.0.2"],
    [{ subnet }, { subnet: "10.0.0.128/25" }, "10.0.0.130"],
    [{ subnet, rangeEnd: "10.0.0.20" }, { subnet, rangeStart: "10.0.0.20" }, "10.0.0.20"],
    [{ subnet, rangeEnd: "10.0.0.20" }, { subnet, rangeStart: "10.0.0.21" }, undefined],
    [{ subnet, rangeEnd: "10.0.0.20" }, { subnet, rangeStart: "10.0.0.20", gateway: "10.0.0.20" }, undefined],
    [{ subnet }, { subnet: "::a00:0/120" }, undefined],
    [{ subnet }, { subnet, gateway: "10.0.0.2" }, "10.0.0.3"],
  ])("of %j and %j, the first common address is %s", (one, other, address) => {
    const [first, second] = [one, other].map((range) => poolsOf(leased(range))[0]);
    if (!first || !second) throw new Error("no pool");
    expect([commonAddress(first, second), commonAddress(second, first)]).toEqual([address, address]);
  });
});

test("a subnet is certain if its set has one range, or if the address is fixed", () => {
  const [one, two, three] = [
    { subnet: "10.1.0.0/24" },
    { subnet: "10.2.0.0/24" },
    { subnet: "10.3.0.0/24", gateway: "x" },
  ];
  const addresses = [{ address: "10.4.0.5/24", gateway: "10.4.0.1" }];
  const ipam = ["plugins", 0, "ipam"];
  expect(certainSubnets(leased({ ranges: [[one, two], [three]], addresses }))).toEqual([
    { path: [...ipam, "ranges", 1, 0], subnet: "10.3.0.0/24", gateway: "x" },
  ]);
  expect(certainSubnets(leased({ subnet: "10.0.0.0/24" }))).toEqual([
    { path: ipam, subnet: "10.0.0.0/24", gateway: undefined },
  ]);
  expect(certainSubnets(withIpam({ type: "static", ranges: [[one]], addresses }))).toEqual([
    { path: [...ipam, "addresses", 0], subnet: "10.4.0.5/24", gateway: "10.4.0.1" },
  ]);
});

test.each<[object, string[]]>([
  [{ type: "bridge" }, ["bridge: type"]],
  [{ type: "bridge", ipam: { type: "" } }, ["bridge: type"]],
  [{ type: "bridge", ipam: { type: 7 } }, ["bridge: type"]],
  [{ type: "bridge-wrapper", ipam: { type: "dhcp" } }, ["bridge-wrapper: type", "bridge: type", "dhcp: ipam.type"]],
  [{ type: "cni-wrappers", wrapper: { delegate: "acme" } }, ["cni-wrappers: type", "acme: wrapper.delegate"]],
])("the executables of %j", (plugin, expected) => {
  const found = pluginNamesIn(pluginOf(plugin));
  expect(found.map(({ name, path }) => `${name}: ${path.slice(2).join(".")}`)).toEqual(expected);
  for (const { path } of found) expect(path.slice(0, 2)).toEqual(["plugins", 0]);
});

test.each<[Record<string, string | undefined> | undefined, boolean]>([
  [undefined, true],
  [{}, true],
  [{ "host-local": undefined }, true],
  [{ "host-local": "v1.9.1" }, false],
  [{ "host-local": "v1.9.1-31-gabc123" }, true],
  [{ "host-local": "v1.10.0" }, true],
])("host-local is strict on a host with %j: %s", (versions, strict) => {
  expect(isStrict(versions && folderOf(versions))).toBe(strict);
});

test("the version of a wrapped plugin is that of the plugin behind it, if the wrapper is there", () => {
  const version = (type: string, versions: Record<string, string>) =>
    installedVersion(pluginOf({ type }), folderOf(versions));
  expect(version("bridge", { bridge: "1.9.0" })).toBe("1.9.0");
  expect(version("bridge-wrapper", { bridge: "1.9.0", "bridge-wrapper": "0.2.0" })).toBe("0.8.0");
  expect(version("bridge-wrapper", { bridge: "1.9.0" })).toBe("1.9.0");
  expect(version("bridge-wrapper", {})).toBeUndefined();
  expect(installedVersion(pluginOf({ type: "bridge-wrapper" }), undefined)).toBeUndefined();
});

test.each([
  ["1.10.0", true],
  ["v1.9.1-31-gabc123", true],
  ["v1.9.1", false],
  ["v1.9.0-31-gabc123", false],
])("%s may be newer than 1.9.1: %s", (version, newer) => {
  expect(isNewer(version, "1.9.1")).toBe(newer);
});

test.each<[ports: unknown[], first: number | undefined]>([
  [[], 1],
  [[{ only: [8080] }], 8080],
  [[{ only: [10000, 9000] }], 9000],
  [[{ only: ["8000-8010"] }, { only: [8005] }], 8005],
  [[{ only: [] }], undefined],
  [[{ except: ["1-79"] }], 80],
  [[{ except: ["2-79"] }], 1],
  [[{ except: ["1-65534"] }], 65535],
  [[{ except: ["1-65535"] }], undefined],
  [[{ only: ["150-300"] }, { except: ["100-200"] }], 201],
  [[{ only: [8080] }, { except: ["8000-8999"] }], undefined],
  [[{ only: ["web"] }], undefined],
  [[{ except: ["web"] }], undefined],
])("with wrapper.ports %j, all publish %s", (ports, first) => {
  const plugins = ports.map((value) => ({ type: "portmap-wrapper", wrapper: { ports: value } }));
  const others = [{ type: "portmap", wrapper: { ports: { only: [7] } } }, { type: "portmap-wrapper" }];
  expect(firstPortOf(parsedList({ name: "zone", plugins: [...plugins, ...others] }).plugins)).toBe(first);
});
