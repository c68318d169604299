import { type Container, Lab } from "../support/lab.ts";
import { expect, test } from "../support/lab-test.ts";
import { hostHas } from "../support/needs.ts";
import { attached, expectFailure, expectNothingLeft, expectSuccess, expectUndone } from "./calls.ts";
import { hostLocal, wrapped, zone } from "./support.ts";

// Interfaces that share a master, and VLANs of bridges. Many kernels lack them.

test("host-device takes its own addresses and routes along into the container, and CHECK sees a lost one", async ({
  lab,
}) => {
  await lab.ip(undefined, "link", "add", "card0", "type", "veth", "peer", "name", "wire0");
  for (const one of ["card0", "wire0"]) await lab.ip(undefined, "link", "set", one, "up");
  await lab.ip(undefined, "address", "add", "10.60.0.2/24", "dev", "card0");
  await lab.ip(undefined, "route", "add", "10.61.0.0/24", "via", "10.60.0.1", "dev", "card0");
  const device = { type: "host-device", device: "card0", useInterfaceNetwork: true };
  const list = zone("1.1.0", wrapped(macvlan), wrapped(device, "eth1"));
  const container = await attached(lab, lab.goCni, list);
  expect(await lab.kernel.addresses(container, "eth1")).toEqual(["10.60.0.2/24"]);
  const { ips, routes } = await lab.kernel.cachedResult("zone", "c1");
  expect(ips).toContainEqual({ address: "10.60.0.2/24", interface: 1 });
  expect(routes).toContainEqual({ dst: "10.61.0.0/24", gw: "10.60.0.1", table: 254 });
  expectSuccess(await lab.goCni.check(list, container));
  await lab.ip(container, "address", "del", "10.60.0.2/24", "dev", "eth1");
  expectFailure(await lab.goCni.check(list, container), "Failed to match addr 10.60.0.2/24 on interface eth1");
  expectSuccess(await lab.goCni.del(list, container));
  expect((await lab.kernel.allAddresses()).card0).toEqual([]);
  await expectNothingLeft(lab, ["wire0", "card0"]);
});

const hasEverything = Object.values(hostHas).every(Boolean);

const macvlan = { type: "macvlan", master: "uplink0", ipam: hostLocal("10.20.0.0/24") };
const vlan = (vlanId: number) => ({
  type: "vlan",
  master: "uplink0",
  vlanId,
  ipam: hostLocal(`10.21.${vlanId}.0/24`),
});
const ipvlan = (part: number) => ({ type: "ipvlan", master: "uplink0", ipam: hostLocal(`10.22.${part}.0/24`) });
const dummy = { type: "dummy", ipam: hostLocal("10.23.0.0/24") };
const vrf = { type: "vrf-wrapper", wrapper: { ifName: "eth1" }, vrfname: "tenant" };

test.skipIf(!hasEverything).for([
  {
    title: "ipvlan, vlan, dummy and vrf",
    list: zone(wrapped(ipvlan(1)), wrapped(vlan(5), "eth1"), wrapped(dummy, "eth2"), wrapped(ipvlan(2), "eth3"), vrf),
    addresses: { eth0: "10.22.1.2/24", eth1: "10.21.5.2/24", eth2: "10.23.0.2/24", eth3: "10.22.2.2/24" },
    inVrf: ["eth1"],
    // vrf sees the loss of eth1's routes first.
    compared: ["eth0", "eth2", "eth3"],
  },
  {
    title: "macvlan and two vlans",
    list: zone(wrapped(macvlan), wrapped(vlan(5), "eth1"), wrapped(vlan(6), "eth2")),
    addresses: { eth0: "10.20.0.2/24", eth1: "10.21.5.2/24", eth2: "10.21.6.2/24" },
    inVrf: [],
    compared: ["eth0", "eth1", "eth2"],
  },
])("on one master: $title", async ({ list, addresses, inVrf, compared }, { lab }) => {
  const container = await attached(lab, lab.goCni, list);
  for (const [name, address] of Object.entries(addresses)) {
    expect(await lab.kernel.addresses(container, name)).toEqual([address]);
  }
  expectSuccess(await lab.goCni.check(list, container));
  for (const name of compared) await expectLossSeen(lab, container, list, name);
  for (const name of inVrf) {
    await lab.ip(container, "link", "set", name, "nomaster");
    expectFailure(await lab.goCni.check(list, container), /routing of interface eth1 has changed|find eth1 associated/);
  }
  await expectUndone(lab, list, container);
});

test.skipIf(!hasEverything)(
  "two interfaces in one VRF with a route alike: the second vrf replaces it, CHECK passes, and sees the second one's loss",
  async ({ lab }) => {
    const ipam = (part: number) => ({
      ...hostLocal(`10.24.${part}.0/24`),
      routes: [{ dst: "10.50.0.0/16", gw: `10.24.${part}.1` }],
    });
    const inVrf = (part: number, ifName: string) => [
      wrapped({ type: "dummy", ipam: ipam(part) }, ifName),
      { ...vrf, wrapper: { ifName } },
    ];
    const list = zone(...inVrf(1, "eth0"), ...inVrf(2, "eth1"));
    const container = await attached(lab, lab.goCni, list);
    expectSuccess(await lab.goCni.check(list, container));
    await lab.ip(container, "route", "del", "10.50.0.0/16", "vrf", "tenant");
    expectFailure(await lab.goCni.check(list, container), /routing of interface eth1 has changed/);
    expectSuccess(await lab.goCni.del(list, container));
    await expectNothingLeft(lab);
  },
);

async function expectLossSeen(lab: Lab, container: Container, list: ReturnType<typeof zone>, name: string) {
  const [lost = ""] = await lab.kernel.addresses(container, name);
  await lab.ip(container, "address", "del", lost, "dev", name);
  expectFailure(await lab.goCni.check(list, container), `Failed to match addr ${lost} on interface ${name}`);
  await lab.ip(container, "address", "add", lost, "dev", name);
  expectSuccess(await lab.goCni.check(list, container));
}

test.skipIf(!hasEverything)(
  "macvlan, vlan and ipvlan on one master: the kernel refuses ipvlan, and DEL cleans up",
  async ({ lab, container }) => {
    const list = zone(wrapped(macvlan), wrapped(vlan(5), "eth1"), wrapped(ipvlan(1), "eth2"));
    const refused = 'plugin type="ipvlan-wrapper" failed (add): failed to create ipvlan: device or resource busy';
    expectFailure(await lab.goCni.add(list, container), refused);
    // The runtime's own second try: what the first one left is not in the way.
    expectFailure(await lab.goCni.add(list, container), refused);
    await expectUndone(lab, list, container);
  },
);

// The plain plugin's DEL looks for the master in the container, and fails if that, or its namespace, is gone.
const inside = {
  vlan: { ...vlan(5), master: "eth0", linkInContainer: true },
  // Its master is the interface of the default route. Its CHECK fails without a master in the list, wrapped or not.
  ipvlan: { type: "ipvlan", linkInContainer: true, ipam: hostLocal("10.21.5.0/24") },
};
const outside = { type: "bridge", bridge: "disc0", isDefaultGateway: true, ipam: hostLocal("10.20.0.0/24") };

test.skipIf(!hasEverything).for([
  ["vlan", "master"],
  ["vlan", "namespace"],
  ["vlan", "journal"],
  ["ipvlan", "namespace"],
  ["ipvlan", "journal"],
] as const)(
  "%s on the container's own interface: DEL after the %s is gone leaves nothing, twice",
  async ([kind, gone], { lab }) => {
    const list = zone("1.0.0", wrapped(outside), wrapped(inside[kind], "eth1"));
    const container = await attached(lab, lab.cnitool, list);
    if (gone === "master") await lab.ip(container, "link", "delete", "eth0");
    if (gone === "namespace") await lab.deleteNamespace(container);
    if (gone === "journal") await lab.run("rm", ["-r", "/var/lib/cni/wrappers"]);
    for (const _ of ["first", "second"]) expectSuccess(await lab.cnitool.del(list, container));
    await expectNothingLeft(lab, ["disc0"]);
  },
);

// Its DEL looked for the master, too. That of 1.6.2 does not.
test.for(["in its namespace", "without its namespace", "without its journal"])(
  "macvlan 1.3.0 whose master is gone: DEL %s leaves nothing, twice",
  async (where) => {
    await using lab = await Lab.start({ plugins: "1.3.0" });
    const list = zone("1.0.0", wrapped(outside), wrapped({ ...macvlan, ipam: hostLocal("10.23.0.0/24") }, "eth1"));
    const container = await attached(lab, lab.cnitool, list);
    await lab.ip(undefined, "link", "delete", "uplink0");
    if (where === "without its namespace") await lab.deleteNamespace(container);
    if (where === "without its journal") await lab.run("rm", ["-r", "/var/lib/cni/wrappers"]);
    for (const _ of ["first", "second"]) expectSuccess(await lab.cnitool.del(list, container));
    expect(await lab.kernel.leases()).toEqual([]);
    expect(await lab.kernel.journals()).toEqual([]);
  },
);

test.skipIf(!hasEverything).for(["vlan", "ipvlan"] as const)(
  "%s on the container's own interface: ADD in a new namespace gives the same address",
  async (kind, { lab }) => {
    const list = zone("1.0.0", wrapped(outside), wrapped(inside[kind], "eth1"));
    await lab.deleteNamespace(await attached(lab, lab.cnitool, list));
    const container = await attached(lab, lab.cnitool, list);
    expect(await lab.kernel.addresses(container, "eth1")).toEqual(["10.21.5.2/24"]);
    if (kind === "vlan") expectSuccess(await lab.cnitool.check(list, container));
    await expectUndone(lab, list, container, ["disc0"], lab.cnitool);
  },
);

test.skipIf(!hostHas.bridgeVlanFiltering)(
  "a bridge with a VLAN and its gateway, then one with a trunk: each port has its VLANs",
  async ({ lab }) => {
    const gateway = { type: "bridge", bridge: "front0", vlan: 5, isGateway: true, ipam: hostLocal("10.24.0.0/24") };
    const trunk = {
      type: "bridge",
      bridge: "trunk0",
      vlanTrunk: [{ minID: 101, maxID: 103 }, { id: 105 }],
      ipam: hostLocal("10.25.0.0/24"),
    };
    const list = zone(wrapped(gateway), wrapped(trunk, "eth1"));
    const container = await attached(lab, lab.goCni, list);
    expect(await lab.kernel.addresses(undefined, "front0.5")).toEqual(["10.24.0.1/24"]);
    expect(await vlansOf(lab, await lab.kernel.hostVeth(container, "eth0"))).toEqual(["5 PVID Egress Untagged"]);
    const carried = await vlansOf(lab, await lab.kernel.hostVeth(container, "eth1"));
    expect(carried).toEqual(expect.arrayContaining(["101 ", "102 ", "103 ", "105 "]));
    expect(carried).not.toContain("104 ");
    for (const name of ["eth0", "eth1"]) await expectLossSeen(lab, container, list, name);
    expectSuccess(await lab.goCni.del(list, container));
    // The plain plugin leaves its gateway's interface and the other end of it, too.
    await expectNothingLeft(lab, ["front0", await gatewaysPort(lab), "front0.5", "trunk0"]);
  },
);

/** The port of front0 that leads to its gateway's interface. */
async function gatewaysPort(lab: Lab): Promise<string> {
  const veths: { ifname: string; link?: string }[] = JSON.parse(
    await lab.ip(undefined, "-json", "link", "show", "type", "veth"),
  );
  return veths.find(({ link }) => link === "front0.5")?.ifname ?? "none";
}

async function vlansOf(lab: Lab, port: string): Promise<string[]> {
  const [shown] = JSON.parse(await lab.run("bridge", ["-json", "vlan", "show", "dev", port]));
  const vlans: { vlan: number; flags?: string[] }[] = shown.vlans;
  return vlans.map(({ vlan, flags = [] }) => `${vlan} ${flags.join(" ")}`);
}
