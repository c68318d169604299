import type { Container, Lab } from "../support/lab.ts";
import { describe, expect, test } from "../support/lab-test.ts";
import { attached, expectFailure, expectNothingLeft, expectSound, expectSuccess, expectUndone } from "./calls.ts";
import { identity, installPlugin, journals, rebooted } from "./recovery-support.ts";
import { hostLocal, macvlan, portmap, published, wrapped, zone } from "./support.ts";

describe("the list is edited while a container lives", () => {
  test.for([
    ["set", undefined, "zone"],
    ["removed", "disc", undefined],
  ] as const)("wrapper.network is %s: CHECK passes, and DEL leaves nothing", async ([_, before, now], { lab }) => {
    const list = (network: string | undefined) =>
      zone(wrapped(macvlan), { ...wrapped(numbered(6)), wrapper: { ifName: "eth1", ...(network && { network }) } });
    const container = await attached(lab, lab.goCni, list(before));
    await expectSound(lab, list(now), container, ["br6"]);
  });
});

test("ipvlan has the place of a plain bridge by now: DEL passes, and removes the interface", async ({ lab }) => {
  const container = await attached(lab, lab.goCni, zone(numbered(6)));
  const list = zone(wrapped({ type: "ipvlan", ipam: hostLocal("10.6.0.0/24") }));
  await expectUndone(lab, list, container, ["br6"]);
});

test("ipvlan has the place of a wrapped bridge since a reboot, and a later plugin fails: DEL passes", async ({
  lab,
}) => {
  await installPlugin(
    lab,
    "broken",
    `[ $CNI_COMMAND = DEL ] || { echo '{"cniVersion": "1.0.0", "code": 11, "msg": "not now"}'; exit 1; }`,
  );
  // Some kernels have no ipvlan: macvlan makes the interface. Without `master`, it takes that of the default route.
  await lab.run("cp", ["/opt/cni/bin/ipvlan", "/opt/cni/bin/real-ipvlan"]);
  await installPlugin(
    lab,
    "ipvlan",
    "[ $CNI_COMMAND = ADD ] && exec /opt/cni/bin/macvlan; exec /opt/cni/bin/real-ipvlan",
  );
  await lab.run("sh", ["-c", "ip address add 172.16.5.10/24 dev uplink0; ip route add default via 172.16.5.254"]);
  const before = await attached(lab, lab.cnitool, zone(wrapped(numbered(6))));
  const container = await rebooted(lab, before, "br6");
  const list = zone(wrapped({ type: "ipvlan", ipam: hostLocal("10.6.0.0/24") }), { type: "broken" });
  expectFailure(await lab.cnitool.add(list, container), /not now/);
  // libcni's result is still that of the bridge.
  await expectUndone(lab, list, container, [], lab.cnitool);
});

test.for([
  ["a reboot cut a DEL off", "[ -e /run/lab/cut ] && exit 1; exec /opt/cni/bin/real-macvlan"],
  ["a DEL failed at its end", "/opt/cni/bin/real-macvlan; code=$?; [ -e /run/lab/cut ] && exit 1; exit $code"],
] as const)(
  "%s, and the plain list has attached the container again: DEL of the wrapped one leaves nothing",
  async ([why, program], { lab }) => {
    await lab.run("cp", ["/opt/cni/bin/macvlan", "/opt/cni/bin/real-macvlan"]);
    await installPlugin(lab, "macvlan", program);
    const [list, options] = [zone(wrapped(macvlan), wrapped(portmap)), published(25080)];
    const container = await attached(lab, lab.goCni, list, "c1", options);
    await lab.writeFile("/run/lab/cut", "");
    expect(await lab.goCni.del(list, container, options)).toMatchObject({ exitCode: 1 });
    await lab.run("rm", ["/run/lab/cut"]);
    if (why.includes("reboot")) {
      await rebooted(lab, container);
      // host-local still has the lease, and gives no second one.
      await lab.run("sh", ["-c", "rm /var/lib/cni/networks/zone/172.16.5.*"]);
    }
    expectSuccess(await lab.goCni.add(zone(macvlan, portmap), container, options));
    expectSuccess(await lab.goCni.del(list, container, options));
    await expectNothingLeftIn(lab, container, /25080/);
  },
);

test("DEL of a plugin without a profile leaves the interface to the creator before it", async ({ lab }) => {
  await installPlugin(
    lab,
    "unknown",
    'echo "$CNI_COMMAND $CNI_IFNAME" >>/run/lab/unknown-calls; exec /opt/cni/bin/tuning',
  );
  await lab.run("ln", ["-s", "cni-wrappers", "/opt/cni/bin/unknown-wrapper"]);
  const ptp = { type: "ptp", ipMasq: true, ipam: hostLocal("10.6.0.0/24") };
  const list = zone(wrapped(ptp), { type: "unknown-wrapper" });
  const container = await attached(lab, lab.goCni, list);
  expectSuccess(await lab.goCni.del(list, container));
  expect(await lab.readFile("/run/lab/unknown-calls")).toBe("ADD eth0\nDEL eth0\n");
  await expectNothingLeft(lab);
});

describe("DEL of what a script attached under the list's own name", () => {
  const attachedByScript = async (lab: Lab, plugin: Record<string, unknown>): Promise<Container> => {
    const script = zone(wrapped(macvlan), { ...wrapped(plugin), wrapper: { ifName: "eth1", network: "zone" } });
    const container = await attached(lab, lab.goCni, script);
    await lab.run("rm", ["-r", journals]);
    return container;
  };

  test("moves host-device's interface back, and continues with the other plugins", async ({ lab }) => {
    await lab.ip(undefined, "link", "add", "dev7", "type", "veth", "peer", "name", "dev8");
    const device = { type: "host-device", device: "dev7", ipam: hostLocal("10.7.0.0/24") };
    const container = await attachedByScript(lab, device);
    expectSuccess(await lab.goCni.del(zone(wrapped(macvlan), wrapped(device, "eth1")), container));
    await expectNothingLeft(lab, ["dev8", "dev7"]);
  });
});

test.for(["", "a reboot, ", "another namespace, "])(
  "the plain plugin's list, %sADD, and the wrapped list again: DEL leaves nothing",
  async (between, { lab }) => {
    const plain = { type: "ptp", ipMasq: true, ipam: hostLocal("10.6.0.0/24") };
    const chained = [portmap, { type: "firewall", backend: "iptables" }];
    const list = zone(wrapped(plain), ...chained.map((one) => wrapped(one)));
    const old = zone(plain, ...chained);
    const container = await attached(lab, lab.goCni, list);
    // Plain ptp leaves the masquerading rules of an interface that is gone.
    if (between.includes("namespace")) await lab.deleteNamespace(container);
    expectSuccess(await lab.goCni.del(old, container));
    if (between.includes("namespace")) await lab.addContainer(container.name);
    if (between.includes("reboot")) await rebooted(lab, container);
    expectSuccess(await lab.goCni.add(old, container, published(25080)));
    expectSuccess(await lab.goCni.check(list, container, published(25080)));
    expectSuccess(await lab.goCni.del(list, container, published(25080)));
    await expectNothingLeftIn(lab, container, /10\.6\.0|25080/);
  },
);

test("a namespace that is made again may have the old one's inode: another network's interface stays", async ({
  lab,
  container,
}) => {
  await installPlugin(lab, "broken", `echo '{"cniVersion": "1.0.0", "code": 11, "msg": "not now"}'; exit 1`);
  const list = zone(wrapped(numbered(5)), wrapped(numbered(6), "eth1"), { type: "broken" });
  const other = { ...zone(wrapped(numbered(7)), wrapped(numbered(8), "eth1")), name: "other" };
  expectFailure(await lab.cnitool.addAs("net1", list, container), /not now/);
  await lab.deleteNamespace(container);
  await expect.poll(() => lab.kernel.linkNames()).not.toContainEqual(expect.stringMatching(/^veth/));
  await lab.addContainer("c1");
  // Often it has. On a busy machine another namespace may have it.
  const inode = (await lab.run("stat", ["-Lc", "%i", container.netns])).trim();
  await lab.run("sh", ["-c", `sed -i 's/"inode":[0-9]*/"inode":${inode}/' ${journals}/*/*`]);
  expectSuccess(await lab.cnitool.add(other, container));
  const before = await identity(lab, container, "eth1");
  expectFailure(await lab.cnitool.addAs("net1", list, container), /already exists/);
  expect(await identity(lab, container, "eth1")).toEqual(before);
});

/** Expects that the namespace has no interface, that no rule is like this, and that no lease or record is left. */
async function expectNothingLeftIn(lab: Lab, container: Container, ours: RegExp): Promise<void> {
  expect(await lab.kernel.linkNames(container)).toEqual(["lo"]);
  expect((await lab.kernel.packetRules()).filter((rule) => ours.test(rule))).toEqual([]);
  expect([await lab.kernel.leases(), await lab.kernel.journals()]).toEqual([[], []]);
}

function numbered(number: number, more: Record<string, unknown> = {}) {
  return { type: "bridge", bridge: `br${number}`, isGateway: true, ipam: hostLocal(`10.${number}.0.0/24`), ...more };
}
