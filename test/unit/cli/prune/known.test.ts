import { expect, test } from "vitest";
import { addressesOfKnown, hostEndsOf, isNamedIn, namesOf } from "../../../../cli/prune/known.ts";
import { configOf } from "../../support/cached-results.ts";
import { entryOf, tryOf } from "../../support/journals.ts";
import { knownOf, rememberedOf } from "./support.ts";

const plugins = [{ type: "macvlan-wrapper" }, { type: "bridge-wrapper", wrapper: { ifName: "eth1" } }];
const done = { made: 7, addresses: ["10.1.0.9/24"] };
const memory = rememberedOf(entryOf({ containerId: "c1", ifName: "eth2", done }));
const known = knownOf("c1", "10.1.0.2", [memory], { config: configOf(plugins) });

test("an attachment has the addresses of its result and of its journal", () => {
  expect(addressesOfKnown(known)).toEqual(["10.1.0.2", "10.1.0.9"]);
  const unfinished = rememberedOf(tryOf({ containerId: "c1" }));
  expect(addressesOfKnown(knownOf("c1", "10.1.0.2", [unfinished]))).toEqual(["10.1.0.2"]);
});

test("the names of its things are those of all its networks and interfaces", () => {
  const names = namesOf(known);
  const networks = ["zone", "zone-eth1", "zone-eth2"];
  const leases = networks.flatMap((network) =>
    ["", "eth0", "eth1", "eth2"].map((name) => `lease:${network}:c1:${name}`),
  );
  expect(names.filter((name) => name.startsWith("lease:")).sort()).toEqual(leases.sort());
  expect(names.filter((name) => name.startsWith("macspoofchk:"))).toEqual(
    ["eth0", "eth1", "eth2"].map((name) => `macspoofchk:c1-${name}`),
  );
  // As the reference plugins 1.9.1 named them.
  const real = ["CNI-5f346e2d484bb1c7403b7e9b", "CNI-DN-5f346e2d484bb1c7403b7", "bwp3aa149931c41"];
  expect(names).toContain("CNI-SN-5f346e2d484bb1c7403b7");
  expect(names).toEqual(expect.arrayContaining([...real, "791bac27a6f0934a-ce22e8fef5c0a4f4"]));
  expect(names).toEqual(expect.arrayContaining(["hostport:c1", "address:10.1.0.2", "address:10.1.0.9"]));
  expect(names.filter((name) => /^[0-9a-f]{16}-[0-9a-f]{16}$/.test(name))).toHaveLength(9);
});

test("an interface counts by the name in the result, too, and not by a plugin's usual name", () => {
  const result = { cniVersion: "1.0.0", interfaces: [{ name: "net1", sandbox: "/x" }] };
  const names = namesOf(knownOf("c1", "10.1.0.2", [], { ifName: "eth5", result }));
  expect(names.filter((name) => name.startsWith("macspoofchk:"))).toEqual([
    "macspoofchk:c1-eth5",
    "macspoofchk:c1-net1",
  ]);
});

test.each([
  ["/r/zone-c1-eth0", true],
  ["/w/zone:c1:eth0.json", true],
  ["/w/c1/zone:eth0", true],
  ["/r/zone-c12-eth0", false],
  ["/w/c12/zone:eth0", false],
  ["/c1/w/zone:eth0", false],
])("%s is named by the container c1: %s", (file, isNamed) => {
  expect(isNamedIn(file, "c1")).toBe(isNamed);
});

test("the host's ends are the interfaces outside that have a MAC", () => {
  const mac = "02:00:00:00:00:01";
  const interfaces = [
    { name: "veth1", mac },
    { name: "veth2" },
    { name: "veth3", mac: "" },
    { name: "eth0", mac, sandbox: "/x" },
  ];
  const result = { cniVersion: "1.0.0", interfaces };
  expect(hostEndsOf(knownOf("c1", "10.1.0.2", [], { result }))).toEqual([{ name: "veth1", mac }]);
  expect(hostEndsOf(knownOf("c1", "10.1.0.2", [], { result: { cniVersion: "1.0.0" } }))).toEqual([]);
});
