import { describe, expect, test } from "vitest";
import { Machine } from "../../../../cli/model/machine.ts";

/** A host with a thing of each kind, which `c1`'s plugin tap made. */
function full(): Machine {
  const machine = new Machine();
  machine.maker = "c1";
  machine.plugin = "tap";
  const namespace = machine.addNamespace("/run/netns/c1");
  machine.addLink(namespace, "eth0", "veth").bridge = "br0";
  namespace.sources.set("10.1.0.2/24", machine.makers());
  machine.addBridge("br0");
  machine.addDevice("bwp1");
  machine.chains.add("CNI-1");
  machine.append("CNI-1", "-j ACCEPT");
  machine.append("nft hostports", "dnat", "c1");
  machine.appendUnique("POSTROUTING", "-s 10.1.0.2 -j CNI-1");
  machine.lent.set("ens19", namespace);
  machine.writeFile("/var/lib/a", "kept");
  machine.writeFile("/run/a", "1");
  machine.writeFile("/var/run/a", "1", true);
  return machine;
}

const wordsOf = (machine: Machine) => machine.things().map(({ what }) => what);

const things = [
  "file /var/lib/a",
  "file /run/a",
  "device bwp1",
  "in /run/netns/c1, link eth0",
  "in /run/netns/c1, rule for 10.1.0.2/24",
  "rule CNI-1 -j ACCEPT",
  "rule nft hostports dnat",
  "rule POSTROUTING -s 10.1.0.2 -j CNI-1",
];

describe("what was made", () => {
  test("has its makers, and can be removed alone", () => {
    const machine = full();
    expect(wordsOf(machine)).toEqual(things);
    for (const thing of machine.things()) {
      expect(thing.by).toEqual(new Map([["c1", "tap"]]));
      thing.remove();
      expect(wordsOf(machine)).not.toContain(thing.what);
    }
    expect(wordsOf(machine)).toEqual([]);
    expect([...machine.files.keys()]).toEqual(["/var/run/a"]);
  });

  test("may have more than one maker", () => {
    const machine = full();
    machine.maker = "c2";
    const before = machine.files.get("/run/a");
    machine.now += 5;
    machine.appendFile("/run/a", "2");
    machine.appendUnique("POSTROUTING", "-s 10.1.0.2 -j CNI-1");
    machine.appendUnique("FORWARD", "-s 10.1.0.2 -j CNI-1");
    const both = [
      ["c1", "tap"],
      ["c2", "tap"],
    ];
    expect(machine.files.get("/run/a")).toEqual({
      text: "12",
      inode: before?.inode,
      modifiedMs: Number(before?.modifiedMs) + 5,
      by: new Map(both as []),
    });
    expect(machine.rules.slice(2)).toEqual([
      { chain: "POSTROUTING", text: "-s 10.1.0.2 -j CNI-1", comment: "", by: new Map(both as []) },
      { chain: "FORWARD", text: "-s 10.1.0.2 -j CNI-1", comment: "", by: new Map([["c2", "tap"]]) },
    ]);
  });

  test("is gone after a reboot, without what lies on the disk", () => {
    const machine = full();
    const { now } = machine;
    machine.wait(5);
    expect([machine.now - now, machine.uptime, machine.boot]).toEqual([5, 60_005, 1]);
    machine.reboot();
    expect([machine.now - now, machine.uptime, machine.boot]).toEqual([60_005, 60_000, 2]);
    expect(wordsOf(machine)).toEqual(["file /var/lib/a"]);
    expect([...machine.files.keys()]).toEqual(["/var/lib/a"]);
    expect(machine.allNamespaces()).toEqual([]);
    expect([machine.bridges.size, machine.lent.size, machine.chains.size]).toEqual([0, 0, 0]);
  });
});

test("a chain that a rule still jumps to is cleared, and stays", () => {
  const machine = full();
  expect(machine.deleteChain("CNI-1")).toBe(false);
  expect(machine.rules.map(({ chain }) => chain)).toEqual(["nft hostports", "POSTROUTING"]);
  expect(machine.chains).toEqual(new Set(["CNI-1"]));
  machine.removeRules(({ chain }) => chain === "POSTROUTING");
  expect(machine.deleteChain("CNI-1")).toBe(true);
  expect(machine.chains).toEqual(new Set());
});

test("a new namespace may have the inode of one that is gone, and has a number of its own", () => {
  const machine = new Machine();
  const inodeOf = (path: string) => machine.addNamespace(path).inode;
  const [one, two] = [inodeOf("/run/netns/1"), inodeOf("/run/netns/2")];
  expect(two).not.toBe(one);
  machine.removeNamespace("/run/netns/1");
  machine.removeNamespace("/run/netns/1");
  expect([...machine.namespaces.keys()]).toEqual(["/run/netns/2"]);
  expect(inodeOf("/run/netns/3")).toBe(one);
  expect(inodeOf("/run/netns/4")).not.toBe(one);
  const all = machine.allNamespaces();
  expect(new Set(all.map(({ serial }) => serial)).size).toBe(3);
  expect(all.map(({ madeMs }) => madeMs)).toEqual([machine.now, machine.now, machine.now]);
});

test("cards are those of the host, or all that nothing else is named like, and none that is in a container", () => {
  const machine = full();
  expect(["ens18", "ens19", "br0", "bwp1"].map((name) => machine.isCard(name))).toEqual([true, false, false, false]);
  machine.cards = ["ens20"];
  expect(["ens18", "ens20"].map((name) => machine.isCard(name))).toEqual([false, true]);
});

test("a bridge has the lowest MAC of its ports until its own is set", () => {
  const machine = full();
  const [namespace] = machine.allNamespaces();
  if (!namespace) throw new Error("no namespace");
  const first = namespace.links.get("eth0");
  const second = machine.addLink(namespace, "eth1", "veth");
  machine.addLink(namespace, "eth2", "macvlan").bridge = "br0";
  expect(machine.macOf("br0")).toBe(first?.hostMac);
  second.bridge = "br0";
  expect(machine.macOf("br0")).toBe(second.hostMac);
  expect(second.hostMac < String(first?.hostMac)).toBe(true);
  expect(machine.vethOf(second.hostEnd)).toBe(second);
  expect(second).toEqual({
    index: 3,
    kind: "veth",
    hostEnd: "veth00000002",
    mac: expect.stringMatching(/^02:00:00(:[\da-f]{2}){3}$/),
    hostMac: expect.stringMatching(/^02:00:00(:[\da-f]{2}){3}$/),
    addresses: [],
    routes: [],
    attributes: new Map([
      ["mtu", 1500],
      ["txQLen", 1000],
    ]),
    shaper: undefined,
    bridge: "br0",
    by: new Map([["c1", "tap"]]),
  });
  namespace.links.clear();
  const bridge = machine.bridges.get("br0");
  expect(bridge).toEqual({ addresses: [], isPromiscuous: false, fixedMac: undefined, firstMac: expect.any(String) });
  expect(machine.macOf("br0")).toBe(bridge?.firstMac);
  if (bridge) bridge.fixedMac = "02:00:00:00:00:07";
  expect(machine.macOf("br0")).toBe("02:00:00:00:00:07");
  expect(machine.macOf("br1")).toBeUndefined();
});

test("a directory lists each name once", () => {
  const machine = full();
  machine.writeFile("/var/lib/b/c", "");
  machine.writeFile("/var/lib/b/d", "");
  expect(machine.list("/var/lib")).toEqual(["a", "b"]);
});
