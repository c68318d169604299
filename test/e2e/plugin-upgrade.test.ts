import { describe, expect, test } from "vitest";
import { type PluginVersion, referencePlugins } from "../support/go.ts";
import { type Container, Lab } from "../support/lab.ts";
import { leftOfContainers } from "../support/leftovers.ts";
import type { NetworkList } from "../support/runtime.ts";
import { attached, expectFailure, expectPassed } from "./calls.ts";
import { failNext, flaky, installFlaky } from "./recovery-support.ts";
import { bridge, front, hostLocal, macvlan, portmap, ptp, published, wrapped, zone } from "./support.ts";

// The plugins of a host are replaced while containers run. What one version made, another one checks and removes.

const masquerading = (backend: string) => wrapped({ ...front, ipMasq: true, ipMasqBackend: backend });
const ofPorts = (backend: string) => ({ ...portmap, backend });
const lists: Readonly<Record<string, NetworkList>> = {
  "iptables, with firewall": zone(
    "1.1.0",
    masquerading("iptables"),
    wrapped(bridge, "eth1"),
    wrapped({ type: "firewall", backend: "iptables" }),
    wrapped(ofPorts("iptables")),
  ),
  nftables: zone("1.1.0", masquerading("nftables"), wrapped(bridge, "eth1"), wrapped(ofPorts("nftables"))),
  "nftables, for eth1": zone("1.1.0", wrapped(front), wrapped(bridge, "eth1"), wrapped(ofPorts("nftables"), "eth1")),
  "nftables, for all senders": zone("1.1.0", wrapped(front), wrapped({ ...ofPorts("nftables"), masqAll: true })),
  "an interface of each kind": zone(
    "1.1.0",
    wrapped(macvlan),
    wrapped(bridge, "eth1"),
    wrapped(ptp, "eth2"),
    wrapped({ type: "host-device", device: "card0", ipam: hostLocal("10.60.0.0/24") }, "eth3"),
    wrapped({ type: "tap", ipam: hostLocal("10.61.0.0/24") }, "eth4"),
  ),
};
const upgrades = Object.entries(lists).map(([title, list]) => ({ title, list, from: "1.9.1", to: "1.10.0" }) as const);
const downgrades = upgrades
  // CHECK of 1.9.1 looks for two rules, and 1.10.0 makes one.
  .filter(({ title }) => title !== "nftables, for all senders")
  .map((each) => ({ ...each, from: each.to, to: each.from }) as const);

test.each([...upgrades, ...downgrades])(
  "attached with $from, checked and removed with $to: $title",
  async ({ list, from, to }) => {
    await using lab = await hostWith(from);
    const [old, later] = [await lab.addContainer("c1"), await lab.addContainer("c2")];
    expectPassed(await lab.goCni.add(list, old, published(25080)));
    const hasPorts = list.plugins.some(({ capabilities }) => capabilities !== undefined);
    expect((await leftOf(lab)).some((trace) => trace.includes("25080"))).toBe(hasPorts);
    await lab.replacePlugins(await referencePlugins(to));
    const hasCard = list.plugins.some(({ device }) => device !== undefined);
    if (!hasCard) expectPassed(await lab.goCni.add(list, later, published(25081)));
    expectPassed(await lab.goCni.check(list, old, published(25080)));
    expectPassed(await lab.goCni.del(list, old, published(25080)));
    expect(await leftOf(lab)).not.toContainEqual(expect.stringMatching(/25080/));
    if (!hasCard) {
      expectPassed(await lab.goCni.check(list, later, published(25081)));
      expectPassed(await lab.goCni.del(list, later, published(25081)));
    }
    expect(await leftOf(lab)).toEqual([]);
  },
);

/** What an undo removes: rules in both backends. */
const ofRules = upgrades.slice(0, 2);

test.each(ofRules)("ADD failed with $from, and passes with $to: $title", async ({ list, from, to }) => {
  await using lab = await hostWith(from);
  const container = await lab.addContainer("c1");
  await failedWith(lab, list, container);
  const addresses = await lab.kernel.allAddresses(container);
  await lab.replacePlugins(await referencePlugins(to));
  expectPassed(await lab.goCni.add(withFlaky(list), container, published(25080)));
  expect(await lab.kernel.allAddresses(container)).toEqual(addresses);
  expectPassed(await lab.goCni.check(withFlaky(list), container, published(25080)));
  expectPassed(await lab.goCni.del(withFlaky(list), container, published(25080)));
  expect(await leftOf(lab)).toEqual([]);
});

test.each(ofRules)("attached with $from, and GC runs with $to after the container is gone: $title", async (given) => {
  const { list, from, to } = given;
  await using lab = await hostWith(from);
  const container = await attached(lab, lab.goCni, list, "c1", published(25080));
  await lab.run("rm", ["-r", "/var/lib/cni/results"]);
  await lab.deleteNamespace(container);
  await lab.replacePlugins(await referencePlugins(to));
  expectPassed(await lab.goCni.gc(list, []));
  await expect.poll(() => leftOf(lab)).toEqual([]);
});

test("with masqAll, portmap 1.9.1 misses a rule that 1.10.0 did not make", async () => {
  await using lab = await hostWith("1.10.0");
  const list = lists["nftables, for all senders"] ?? zone();
  const container = await attached(lab, lab.goCni, list, "c1", published(25080));
  await lab.replacePlugins(await referencePlugins("1.9.1"));
  const check = await lab.goCni.check(list, container, published(25080));
  expectFailure(check, /missing hostport rules in "masquerading" chain/);
  expectPassed(await lab.goCni.del(list, container, published(25080)));
  expect(await leftOf(lab)).toEqual([]);
});

const outside = /gateway 172\.16\.6\.1 not in network 172\.16\.5\.0\/24/;
const withRange = (plugin: Record<string, unknown>, range: object, ifName: string) =>
  wrapped({ ...plugin, ipam: { type: "host-local", ranges: [[{ subnet: "172.16.5.0/24", ...range }]] } }, ifName);

describe("host-local 1.10.0 refuses a gateway outside its subnet, with which 1.9.1 attached a container", () => {
  const masqueraded = { ...bridge, isGateway: false, ipMasq: true };
  const list = zone("1.1.0", wrapped(front), withRange(masqueraded, { gateway: "172.16.6.1" }, "eth1"));
  const corrected = zone("1.1.0", wrapped(front), withRange(masqueraded, {}, "eth1"));
  const shorter = zone("1.1.0", wrapped(front));

  test("CHECK fails, and passes if the gateway is deleted", async () => {
    await using lab = await hostWith("1.9.1");
    const container = await attached(lab, lab.goCni, list);
    await lab.replacePlugins(await referencePlugins("1.10.0"));
    expectFailure(await lab.goCni.check(list, container), outside);
    expectPassed(await lab.goCni.check(corrected, container));
  });

  test.each([
    ["of the same list", list],
    ["of the corrected list", corrected],
    ["of a list without the plugin", shorter],
  ])("DEL %s frees its lease", async (_, later) => {
    await using lab = await hostWith("1.9.1");
    const container = await attached(lab, lab.goCni, list);
    await lab.replacePlugins(await referencePlugins("1.10.0"));
    expectPassed(await lab.goCni.del(later, container));
    expect(await leftOf(lab)).toEqual([]);
  });
});

test("bridge 1.10.0 fixes the MAC of a bridge that 1.9.1 let float: the containers from before still pass CHECK", async () => {
  await using lab = await hostWith("1.9.1");
  await lab.ip(undefined, "link", "add", "disc0", "type", "bridge");
  await lab.ip(undefined, "address", "add", "172.26.64.1/20", "dev", "disc0");
  const list = zone("1.1.0", wrapped(bridge));
  await lab.run("sh", [
    "-ec",
    "ip link add port0 address 02:00:00:00:00:01 type veth peer name port1; ip link set port0 master disc0",
  ]);
  const [old, later] = [await lab.addContainer("c1"), await lab.addContainer("c2")];
  expectPassed(await lab.goCni.add(list, old));
  await lab.ip(undefined, "link", "delete", "port0");
  expectPassed(await lab.goCni.check(list, old));
  await lab.replacePlugins(await referencePlugins("1.10.0"));
  expectPassed(await lab.goCni.add(list, later));
  for (const one of [old, later]) expectPassed(await lab.goCni.check(list, one));
  for (const one of [old, later]) expectPassed(await lab.goCni.del(list, one));
  expect(await leftOf(lab)).toEqual([]);
});

async function hostWith(plugins: PluginVersion): Promise<Lab> {
  const lab = await Lab.start({ plugins });
  await lab.ip(undefined, "link", "add", "card0", "type", "veth", "peer", "name", "wire0");
  return lab;
}

function withFlaky(list: NetworkList): NetworkList {
  return { ...list, plugins: [...list.plugins, flaky] };
}

/** Runs an ADD whose last plugin fails, as Nomad does: without a DEL. */
async function failedWith(lab: Lab, list: NetworkList, container: Container): Promise<void> {
  await installFlaky(lab);
  await failNext(lab);
  expectFailure(await lab.goCni.add(withFlaky(list), container, published(25080)), /not now/);
}

function leftOf(lab: Lab): Promise<string[]> {
  return leftOfContainers(lab, ["front0", "disc0", "card0", "wire0"]);
}
