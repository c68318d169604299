import type { Container, Lab } from "../support/lab.ts";
import { expect, test } from "../support/lab-test.ts";
import { leftOfContainers } from "../support/leftovers.ts";
import type { NetworkList } from "../support/runtime.ts";
import { attached, expectPassed } from "./calls.ts";
import { failNext, flaky, identity, installFlaky, rebooted } from "./recovery-support.ts";
import { bridge, firewall, front, hostLocal, macvlan, named, ptp, wrapped, zone } from "./support.ts";

// A container may have attachments of other lists, of other runtimes, or of the same list under another name. DEL of one of them, also
// of one that never completed, must not touch the others.

const other = { ...bridge, bridge: "other0", ipam: hostLocal("10.9.0.0/24") };
const nowhere = { ...macvlan, master: "nope0" };
const list = zone(wrapped(front), wrapped(bridge, "eth1"));
const range = { subnet: "172.26.64.0/20", rangeStart: "172.26.64.2", rangeEnd: "172.26.64.3" };
const failed = { exitCode: 1 };

test("DEL of a list whose ADD failed leaves the eth1 of another runtime's plain plugin", async ({ lab }) => {
  const c = await lab.addContainer("c1");
  expectPassed(await lab.cnitool.addAs("eth1", named("podman", other), c));
  const before = await identity(lab, c, "eth1");
  const second = zone(wrapped(nowhere), wrapped(bridge, "eth1"));
  expect(await lab.cnitool.addAs("net0", second, c)).toMatchObject(failed);
  expectPassed(await lab.cnitool.delAs("net0", second, c));
  expect(await identity(lab, c, "eth1")).toEqual(before);
});

test("DEL after the namespace is gone leaves the plain interface of another container, which has its path by now", async ({
  lab,
}) => {
  const gone = await attached(lab, lab.goCni, list);
  await lab.deleteNamespace(gone);
  const c = await attached(lab, lab.cnitool, named("plain", front));
  const before = await identity(lab, c, "eth0");
  expectPassed(await lab.goCni.del(list, gone));
  expect(await identity(lab, c, "eth0")).toEqual(before);
});

test("DEL of an attachment that never was, without a namespace, leaves the lease of eth1", async ({ lab }) => {
  const scarce = zone(wrapped(front), wrapped({ ...bridge, ipam: { type: "host-local", ranges: [[range]] } }, "eth1"));
  const c = await attached(lab, lab.cnitool, scarce);
  const env = {
    CNI_COMMAND: "DEL",
    CNI_CONTAINERID: lab.cnitool.id(c),
    CNI_NETNS: "",
    CNI_IFNAME: "net1",
    CNI_PATH: "/opt/cni/bin",
  };
  const input = JSON.stringify({ cniVersion: "1.0.0", name: "zone", ...scarce.plugins[1] });
  expectPassed(await lab.call("/opt/cni/bin/bridge-wrapper", [], { env, input }));
  const eth1 = [(await lab.kernel.allAddresses(c)).eth1];
  for (const name of ["c2", "c3"]) {
    const next = await lab.addContainer(name);
    if ((await lab.cnitool.add(scarce, next)).exitCode === 0) eth1.push((await lab.kernel.allAddresses(next)).eth1);
  }
  expect(new Set(eth1.flat()).size).toBe(eth1.length);
});

test("DEL of another list's tuning and sbr leaves the MAC and the rules of eth1", async ({ lab }) => {
  const tune = wrapped({ type: "tuning", mac: "c2:b0:57:49:47:f1" }, "eth1");
  const sbr = wrapped({ type: "sbr" }, "eth1");
  const one = zone(wrapped(front), wrapped(bridge, "eth1"), tune, sbr);
  const second = named("other", wrapped(nowhere), tune, sbr);
  const c = await attached(lab, lab.cnitool, one);
  const look = async () => [await identity(lab, c, "eth1"), await lab.ip(c, "rule")];
  const before = await look();
  await lab.cnitool.addAs("net1", second, c);
  await lab.cnitool.delAs("net1", second, c);
  expect(await look()).toEqual(before);
});

test("DEL of a list whose eth1 has gone leaves an eth1 that another list made", async ({ lab }) => {
  const second = {
    ...zone(wrapped({ ...macvlan, ipam: hostLocal("172.16.6.0/24") }), wrapped(other, "eth1")),
    name: "other",
  };
  const c = await attached(lab, lab.cnitool, list);
  await lab.ip(c, "link", "delete", "eth1");
  expectPassed(await lab.cnitool.addAs("net1", second, c));
  const before = await identity(lab, c, "eth1");
  expectPassed(await lab.cnitool.del(list, c));
  expect(await identity(lab, c, "eth1")).toEqual(before);
});

test.for([
  ["at once", false],
  ["after a reboot", true],
] as const)("DEL removes what was made under the ifName of an earlier try, %s", async ([_, reboots], { lab }) => {
  await installFlaky(lab);
  const named = (ifName: string) => zone(wrapped(front), wrapped(bridge, ifName), flaky);
  const old = await lab.addContainer("c1");
  if (!reboots) await failNext(lab);
  await lab.goCni.add(named("eth1"), old);
  const container = reboots ? await rebooted(lab, old) : old;
  expectPassed(await lab.goCni.add(named("net1"), container));
  expectPassed(await lab.goCni.del(named("net1"), container));
  expect(await leftOfContainers(lab, ["front0", "disc0"])).toEqual([]);
});

// The path of a process's namespace leads to another one once another process has its number.
test.for<[string, (lab: Lab, list: NetworkList) => Promise<unknown>]>([
  ["was never attached", async () => {}],
  [
    "has lost its journal",
    async (lab, list) => {
      const gone = await attached(lab, lab.goCni, list);
      await lab.run("rm", ["-r", "/var/lib/cni/wrappers/c1"]);
      await lab.deleteNamespace(gone);
    },
  ],
] as const)(
  "DEL of what %s leaves the neighbour whose namespace is at the path by now",
  async ([_, prepare], { lab }) => {
    const tune = wrapped({ type: "tuning", mac: "c2:b0:57:49:47:f1" }, "eth1");
    const theirs = zone(wrapped(front), wrapped(bridge, "eth1"), tune, wrapped({ type: "sbr" }, "eth1"));
    const neighbour = await attached(lab, lab.cnitool, theirs, "c2");
    await prepare(lab, theirs);
    const look = async () => [
      await identity(lab, neighbour, "eth0"),
      await identity(lab, neighbour, "eth1"),
      await lab.ip(neighbour, "rule"),
    ];
    const before = await look();
    expectPassed(await lab.goCni.del(theirs, { name: "c1", netns: neighbour.netns }));
    expect(await look()).toEqual(before);
    expectPassed(await lab.cnitool.check(theirs, neighbour));
    expectPassed(await lab.cnitool.del(theirs, neighbour));
    // The kernel removes the interfaces of a deleted namespace later.
    await expect.poll(() => leftOfContainers(lab, ["front0", "disc0"])).toEqual([]);
  },
);

test("DEL leaves a neighbour's interface that has the process number, the inode and the index of the own one", async ({
  lab,
}) => {
  const one = zone(wrapped(ptp));
  const [first, second] = [await startProcess(lab), await startProcess(lab)];
  expectPassed(await lab.goCni.add(one, { name: "c1", netns: first }));
  expectPassed(await lab.goCni.add(one, { name: "c2", netns: second }));
  const [old, present] = [await lab.run("stat", ["-Lc", "%i", first]), await lab.run("stat", ["-Lc", "%i", second])];
  // The kernel gives the inode of a namespace that is gone to another one at once.
  await lab.run("sed", ["-i", `s/${old}/${present}/g`, "/var/lib/cni/wrappers/c1/zone:eth0"]);
  const look = () => lab.run("nsenter", [`--net=${second}`, "ip", "address", "show", "eth0"]);
  const before = await look();
  expectPassed(await lab.goCni.del(one, { name: "c1", netns: second }));
  expect(await look()).toBe(before);
  expectPassed(await lab.goCni.del(one, { name: "c2", netns: second }));
  await expect(look()).rejects.toThrow("does not exist");
});

/** Starts a process with a network namespace. Returns the path of that. */
async function startProcess(lab: Lab): Promise<string> {
  const id = await lab.run("sh", ["-c", "unshare --net sh -c 'echo $$; exec >&- 2>&-; sleep 600' &"]);
  return `/proc/${id.trim()}/ns/net`;
}

test("a repeated DEL leaves firewall's rules of an address that another container got", async ({ lab }) => {
  const one = { ...range, rangeEnd: range.rangeStart };
  const scarce = { ...bridge, ipam: { type: "host-local", ranges: [[one]] } };
  const firewalled = zone(wrapped(front), wrapped(scarce, "eth1"), wrapped(firewall, "eth1"));
  const results = (container: Container) => `/var/lib/cni/results/zone-${container.name}-eth0`;
  const [gone, next] = [await lab.addContainer("gone"), await lab.addContainer("next")];
  expectPassed(await lab.goCni.add(firewalled, gone));
  await lab.run("cp", [results(gone), "/var/lib/cni/kept"]);
  expectPassed(await lab.goCni.del(firewalled, gone));
  expectPassed(await lab.goCni.add(firewalled, next));

  // libcni keeps the result until the whole DEL has passed.
  await lab.run("cp", ["/var/lib/cni/kept", results(gone)]);
  expectPassed(await lab.goCni.del(firewalled, gone));
  expectPassed(await lab.goCni.check(firewalled, next));
  expectPassed(await lab.goCni.del(firewalled, next));
  expect((await lab.kernel.packetRules()).filter((rule) => rule.includes(one.rangeStart))).toEqual([]);
});

test("DEL leaves firewall's rules of a static address that another container got before", async ({ lab }) => {
  const address = "172.26.64.2";
  const fixed = { ...bridge, ipam: { type: "static", addresses: [{ address: `${address}/20` }] } };
  const firewalled = zone(wrapped(front), wrapped(fixed, "eth1"), wrapped(firewall, "eth1"));
  const [gone, next] = [await lab.addContainer("gone"), await lab.addContainer("next")];
  expectPassed(await lab.goCni.add(firewalled, gone));
  await lab.deleteNamespace(gone);
  expectPassed(await lab.goCni.add(firewalled, next));
  expectPassed(await lab.goCni.del(firewalled, gone));
  expectPassed(await lab.goCni.check(firewalled, next));
  expectPassed(await lab.goCni.del(firewalled, next));
  expect((await lab.kernel.packetRules()).filter((rule) => rule.includes(address))).toEqual([]);
});
