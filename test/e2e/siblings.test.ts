import { type Container, Lab } from "../support/lab.ts";
import { describe, expect, test } from "../support/lab-test.ts";
import type { NetworkList } from "../support/runtime.ts";
import { attached, expectFailure, expectNothingLeft, expectPassed } from "./calls.ts";
import { failNext, flaky, installFlaky, installPlugin } from "./recovery-support.ts";
import {
  bridge,
  firewall,
  front,
  hostLocal,
  macvlan,
  named,
  portmap,
  ptp,
  published,
  wrapped,
  zone,
} from "./support.ts";

// A container may have several attachments. What one of them has, no call for another one takes away.

const tuning = wrapped({ type: "tuning", mtu: 1400 }, "eth1");
const bandwidth = {
  type: "bandwidth",
  ingressRate: 1_000_000,
  ingressBurst: 1_000_000,
  egressRate: 1_000_000,
  egressBurst: 1_000_000,
};
const web = published(25080);

describe("DEL of an attachment whose ADD failed leaves the other one's eth1", () => {
  const eth1 = { ...bridge, ipam: hostLocal("172.26.80.0/24") };
  const za = { as: "eth0", list: named("za", wrapped(macvlan), wrapped(bridge, "eth1")) };
  const tuned = { as: "eth0", list: named("za", wrapped(macvlan), wrapped(bridge, "eth1"), tuning) };
  const failing = wrapped({ ...macvlan, master: "missing0" }, "net9");
  const rows = [
    {
      title: "the runtime's name is the other's ifName",
      za,
      zb: { as: "eth1", list: named("zb", wrapped(ptp), wrapped(eth1, "eth1")) },
    },
    { title: "both have the ifName", za, zb: { as: "net1", list: named("zb", wrapped(ptp), wrapped(eth1, "eth1")) } },
    {
      title: "no creator of that ifName ran",
      za,
      zb: { as: "net1", list: named("zb", failing, wrapped(ptp, "eth1")) },
    },
    { title: "tuning has set its MTU", za: tuned, zb: { as: "eth1", list: named("zb", wrapped(ptp), tuning) } },
  ];

  test.for(rows)("$title", async ({ za, zb }, { lab, container }) => {
    expectPassed(await lab.cnitool.addAs(za.as, za.list, container));
    const before = [await lab.kernel.link(container, "eth1"), await lab.kernel.leases()];
    for (const _ of [1, 2]) {
      expectFailure(await lab.cnitool.addAs(zb.as, zb.list, container), /exists|Link not found|missing0|is taken/);
      expect(await lab.kernel.link(container, "eth1")).toEqual(before[0]);
    }
    for (const _ of [1, 2]) {
      expectPassed(await lab.cnitool.delAs(zb.as, zb.list, container));
      expect([await lab.kernel.link(container, "eth1"), await lab.kernel.leases()]).toEqual(before);
    }
    expectPassed(await lab.cnitool.checkAs(za.as, za.list, container));
    expectPassed(await lab.cnitool.delAs(za.as, za.list, container));
    await expectNothingLeft(lab, ["disc0"]);
  });
});

test("an ADD that failed, tried again and removed, leaves the macspoofchk of the other one's eth1", async ({ lab }) => {
  const checked = { ...bridge, macspoofchk: true };
  const za = named("za", wrapped(macvlan), wrapped(checked, "eth1"));
  const zb = named(
    "zb",
    wrapped(ptp),
    wrapped({ ...checked, ipMasq: true, ipam: hostLocal("172.26.80.0/24") }, "eth1"),
  );
  const container = await attached(lab, lab.cnitool, za);
  expect(await spoofRules(lab)).toContain((await lab.kernel.link(container, "eth1")).address);
  await expectRulesStay(lab, zb, container);
  expectPassed(await lab.cnitool.del(za, container));
  expect(await spoofRules(lab)).not.toContain("eth1");
  await expectNothingLeft(lab, ["disc0"]);
});

test.for([true, false])(
  "a failed ADD leaves the macspoofchk of a plain bridge's eth0 (ipMasq: %s)",
  async (ipMasq, { lab }) => {
    const checked = { ...bridge, macspoofchk: true };
    const container = await attached(lab, lab.cnitool, named("za", checked));
    const zb = named("zb", wrapped(ptp), wrapped({ ...checked, ipMasq, ipam: hostLocal("172.26.80.0/24") }, "eth0"));
    expect(await spoofRules(lab)).toContain((await lab.kernel.link(container, "eth0")).address);
    await expectRulesStay(lab, zb, container);
  },
);

test("a tap of that name leaves the other one's eth1", async ({ lab, container }) => {
  const tap = { type: "tap", ipam: hostLocal("172.26.80.0/24") };
  const za = named("za", wrapped(macvlan), wrapped(bridge, "eth1"));
  const zb = named("zb", wrapped(tap, "eth1"));
  expectPassed(await lab.cnitool.addAs("eth0", za, container));
  const before = [await lab.kernel.links(container), await lab.kernel.leases()];
  expectFailure(await lab.cnitool.addAs("net1", zb, container), /interface name eth1 is taken/);
  expectPassed(await lab.cnitool.delAs("net1", zb, container));
  expect([await lab.kernel.links(container), await lab.kernel.leases()]).toEqual(before);
  expectPassed(await lab.cnitool.checkAs("eth0", za, container));
  // The plain plugin takes it for its own.
  expectPassed(await lab.cnitool.addAs("eth1", named("zb", tap), container));
  expectPassed(await lab.cnitool.delAs("eth1", named("zb", tap), container));
  expect(await lab.kernel.linkNames(container)).not.toContain("eth1");
  expectPassed(await lab.cnitool.delAs("eth0", za, container));
});

test.for(["bridge", "macvlan"])(
  "a script that hides the failure of %s leaves the other one's eth1",
  async (type, { lab, container }) => {
    await installPlugin(lab, "script", `${Lab.pluginPath}/${type}; true`);
    const own = type === "bridge" ? bridge : macvlan;
    const za = named("za", wrapped(macvlan), wrapped(bridge, "eth1"));
    const zb = named("zb", {
      ...own,
      ipam: hostLocal("172.26.80.0/24"),
      type: "bridge-wrapper",
      wrapper: { ifName: "eth1", delegate: "script", role: "creator" },
    });
    expectPassed(await lab.cnitool.addAs("eth0", za, container));
    const before = [await lab.kernel.links(container), await lab.kernel.leases()];
    await lab.cnitool.addAs("net1", zb, container);
    await lab.cnitool.delAs("net1", zb, container);
    expect([await lab.kernel.links(container), await lab.kernel.leases()]).toEqual(before);
    expectPassed(await lab.cnitool.checkAs("eth0", za, container));
    expectPassed(await lab.cnitool.delAs("eth0", za, container));
  },
);

describe("one list attached as eth0, and then as net1, which fails", () => {
  test.for(["iptables", "nftables"])(
    "eth1 keeps its ports, its limit and its traffic (%s)",
    async (backend, { lab }) => {
      const list = named(
        "za",
        wrapped(macvlan),
        wrapped(bridge, "eth1"),
        wrapped(bandwidth, "eth1"),
        wrapped({ ...portmap, backend }, "eth1"),
      );
      const container = await attached(lab, lab.cnitool, list, "c1", web);
      const before = await stateOf(lab, container);
      expect(before.rules).toContain("172.26.64.2");
      expectFailure(await lab.cnitool.addAs("net1", list, container, web), /exists/);
      expect((await stateOf(lab, container)).rules).toEqual(before.rules);
      expectPassed(await lab.cnitool.delAs("net1", list, container, web));
      expect(await stateOf(lab, container)).toEqual(before);
      expectPassed(await lab.cnitool.check(list, container, web));
      expectPassed(await lab.cnitool.del(list, container, web));
      expect((await stateOf(lab, container)).rules).not.toContain("172.26.64.2");
    },
  );

  test("each gets an address of its own", async ({ lab }) => {
    const [one, other] = [await lab.addContainer("c1"), await lab.addContainer("c2")];
    const single = named("zc", wrapped(bridge, "eth1"));
    expectPassed(await lab.cnitool.addAs("eth1", single, one));
    expectPassed(await lab.cnitool.addAs("eth0", single, other));
    const addresses = [await lab.kernel.allAddresses(one), await lab.kernel.allAddresses(other)];
    expect(addresses[0]).not.toEqual(addresses[1]);
    expectPassed(await lab.cnitool.checkAs("eth1", single, one));
    expectPassed(await lab.cnitool.checkAs("eth0", single, other));
    expectPassed(await lab.cnitool.delAs("eth1", single, one));
    expectPassed(await lab.cnitool.delAs("eth0", single, other));
    await expectNothingLeft(lab, ["disc0"]);
  });
});

test("two lists with one pool: DEL of the one whose ADD failed frees no lease of the other", async ({ lab }) => {
  const pooled = (plugin: Record<string, unknown>) => ({
    ...wrapped(plugin),
    wrapper: { ifName: "eth1", network: "disc" },
  });
  const [za, zb] = [named("za", wrapped(macvlan), pooled(bridge)), named("zb", wrapped(ptp), pooled(bridge))];
  const container = await attached(lab, lab.cnitool, za);
  expectFailure(await lab.cnitool.addAs("net1", zb, container), /exists/);
  expectPassed(await lab.cnitool.delAs("net1", zb, container));
  expect(await lab.kernel.leases()).toContain("disc/172.26.64.2");
  const other = await attached(lab, lab.cnitool, za, "c2");
  expect(await lab.kernel.addresses(other, "eth1")).toEqual(["172.26.64.3/20"]);
  for (const each of [container, other]) expectPassed(await lab.cnitool.del(za, each));
  await expectNothingLeft(lab, ["disc0"]);
});

describe("two attachments of one container share rules", () => {
  test.for([
    ["iptables", 0],
    ["nftables", 0],
    // nftables' DEL removes the ports of the whole container. An ADD publishes the other's again.
    ["nftables", 1],
  ] as const)(
    "DEL of one leaves the ports of the other (%s, ADDs that fail: %i)",
    async ([backend, failures], { lab }) => {
      await lab.run("cp", [`${Lab.pluginPath}/portmap`, "/run/lab/portmap"]);
      await installFlaky(lab, "portmap", "/run/lab/portmap");
      const publishing = wrapped({ ...portmap, backend });
      const [za, zb] = [named("za", wrapped(front), publishing), named("zb", wrapped(ptp), publishing)];
      const mail = published(25025, 25);
      const container = await attached(lab, lab.cnitool, za, "c1", web);
      expectPassed(await lab.cnitool.addAs("net1", zb, container, mail));
      if (failures > 0) await failNext(lab, failures);
      expectPassed(await lab.cnitool.delAs("eth0", za, container, web));
      const { rules } = await stateOf(lab, container);
      expect(rules).toMatch(/25025/);
      expect(rules).not.toMatch(/25080/);
      expectPassed(await lab.cnitool.checkAs("net1", zb, container, mail));
      expectPassed(await lab.cnitool.delAs("net1", zb, container, mail));
      expect((await stateOf(lab, container)).rules).not.toMatch(/25025|25080/);
    },
  );

  test("DEL of one whose ADD was cut off after it had published its port: the port is closed, the other's stays", async ({
    lab,
  }) => {
    await lab.run("cp", [`${Lab.pluginPath}/portmap`, "/run/lab/portmap"]);
    const [za, zb] = [named("za", wrapped(front), wrapped(portmap)), named("zb", wrapped(ptp), wrapped(portmap))];
    const mail = published(25025, 25);
    const container = await attached(lab, lab.cnitool, za, "c1", web);
    await installPlugin(lab, "portmap", '/run/lab/portmap; [ "$CNI_COMMAND" != ADD ] || kill -KILL $$');
    expectFailure(await lab.cnitool.addAs("net1", zb, container, mail), /killed by SIGKILL/);
    expect((await stateOf(lab, container)).rules).toMatch(/25025/);
    expectPassed(await lab.cnitool.delAs("net1", zb, container, mail));
    const { rules } = await stateOf(lab, container);
    expect(rules).not.toMatch(/25025/);
    expectPassed(await lab.cnitool.check(za, container, web));
    expectPassed(await lab.cnitool.del(za, container, web));
    expect((await stateOf(lab, container)).rules).not.toMatch(/25080/);
  });

  test("DEL of one leaves the masquerading rules of the other", async ({ lab }) => {
    const pooled = (plugin: Record<string, unknown>) => ({
      ...wrapped({ ...plugin, ipMasq: true }),
      wrapper: { network: "pool" },
    });
    const [za, zb] = [named("za", pooled(front)), named("zb", pooled(bridge))];
    const container = await attached(lab, lab.cnitool, za);
    expectPassed(await lab.cnitool.addAs("net1", zb, container));
    const before = (await lab.kernel.packetRules()).filter((rule) => rule.includes("172.26.64."));
    expect(before).toHaveLength(2);
    expectPassed(await lab.cnitool.delAs("eth0", za, container));
    expect((await lab.kernel.packetRules()).filter((rule) => rule.includes("172.26.64."))).toEqual(before);
    expectPassed(await lab.cnitool.delAs("net1", zb, container));
    await expectNothingLeft(lab, ["front0", "disc0"]);
  });

  const publishing = wrapped({ ...portmap, backend: "nftables" });
  const pooled = { wrapper: { network: "pool" }, ipMasq: true };
  test.for([
    ["the directory of the journals", "", "getdents64", [publishing], {}],
    ["the other's journal", "/zb:net1", "read", [], pooled],
  ] as const)(
    "%s cannot be read: DEL of one fails, and leaves what the other has",
    async ([_, file, call, chained, more], { lab }) => {
      const mail = published(25025, 25);
      const za = named("za", { ...wrapped(front), ...more }, ...chained);
      const zb = named("zb", { ...wrapped(bridge), ...more }, ...chained);
      const container = await attached(lab, lab.cnitool, za, "c1", web);
      expectPassed(await lab.cnitool.addAs("net1", zb, container, mail));
      const before = await stateOf(lab, container);
      const path = `/var/lib/cni/wrappers/${lab.cnitool.id(container)}${file}`;
      await breakCalls(lab, call, path, ["bridge", "portmap"]);
      expectFailure(
        await lab.cnitool.delAs("eth0", za, container, web),
        /error reading the journal or result of another/,
      );
      expect(await stateOf(lab, container)).toEqual(before);
      await lab.writeFile("/run/lab/whole", "");
      expectPassed(await lab.cnitool.delAs("eth0", za, container, web));
      expectPassed(await lab.cnitool.checkAs("net1", zb, container, mail));
      expectPassed(await lab.cnitool.delAs("net1", zb, container, mail));
      await expectNothingLeft(lab, ["front0", "disc0"]);
    },
  );

  test("libcni's results cannot be listed: DEL of what was never attached leaves a plain plugin's interface", async ({
    lab,
    container,
  }) => {
    const [za, zb] = [named("za", ptp), named("zb", wrapped(ptp))];
    expectPassed(await lab.cnitool.add(za, container));
    await breakCalls(lab, "getdents64", "/var/lib/cni/results", ["ptp"]);
    expectFailure(await lab.cnitool.delAs("eth0", zb, container), /error reading the journal or result of another/);
    expectPassed(await lab.cnitool.check(za, container));
    await lab.writeFile("/run/lab/whole", "");
    expectPassed(await lab.cnitool.delAs("eth0", zb, container));
    expectPassed(await lab.cnitool.check(za, container));
  });

  test("the last DEL removes what failed ADDs had to leave of a masquerading chain", async ({ lab }) => {
    await installFlaky(lab);
    const za = named("za", wrapped({ ...front, ipMasq: true }), flaky);
    const container = await attached(lab, lab.cnitool, za);
    for (const _ of [1, 2]) {
      await failNext(lab);
      expectFailure(await lab.cnitool.addAs("net1", za, container), /flaky/);
    }
    expectPassed(await lab.cnitool.delAs("eth0", za, container));
    expectPassed(await lab.cnitool.delAs("net1", za, container));
    await expectNothingLeft(lab, ["front0"]);
  });
});

describe("the list was edited between ADD and DEL", () => {
  const listOf = (ifName: string, first: Record<string, unknown>) =>
    zone(
      first,
      wrapped(bridge, ifName),
      wrapped({ type: "firewall", backend: "iptables" }, ifName),
      wrapped({ ...portmap, backend: "iptables" }, ifName),
    );

  test.for([
    ["with a result", wrapped(macvlan), false],
    ["without a result", wrapped(macvlan), true],
    // No DEL of a wrapped first creator undoes what the others have left.
    ["after a plain creator", macvlan, false],
  ] as const)("eth1 is eth2 now: no rule is left (%s)", async ([_, first, isLost], { lab, container }) => {
    const added = await lab.goCni.add(listOf("eth1", first), container, web);
    expect(added.exitCode).toBe(0);
    if (isLost) await lab.run("rm", ["/var/lib/cni/results/zone-c1-eth0"]);
    expectPassed(await lab.goCni.del(listOf("eth2", first), container, web));
    expect((await lab.kernel.packetRules()).filter((rule) => /172\.26\.64|25080/.test(rule))).toEqual([]);
    expect([await lab.kernel.leases(), await lab.kernel.journals()]).toEqual([[], []]);
    expect(await lab.kernel.linkNames(container)).toEqual(["lo"]);
  });

  test("plugins were removed from its end: their rules are removed with the one before them", async ({
    lab,
    container,
  }) => {
    const whole = listOf("eth1", macvlan);
    expect(await lab.goCni.add(whole, container, web)).toMatchObject({ exitCode: 0 });
    expectPassed(await lab.goCni.del({ ...whole, plugins: whole.plugins.slice(0, 2) }, container, web));
    expect((await lab.kernel.packetRules()).filter((rule) => /172\.26\.64|25080/.test(rule))).toEqual([]);
    expect(await lab.kernel.journals()).toEqual([]);
  });

  test("a plugin was removed from the middle, and uninstalled, too: the rest is removed, and its entry stays", async ({
    lab,
  }) => {
    await installPlugin(lab, "gone", "exec /opt/cni/bin/tuning");
    const middle = { ...wrapped({ type: "gone" }), wrapper: { role: "meta", ifName: "eth1" } };
    const withMiddle = zone(wrapped(macvlan), wrapped(bridge, "eth1"), {
      ...middle,
      type: "tuning-wrapper",
      wrapper: { ...middle.wrapper, delegate: "gone" },
    });
    const container = await attached(lab, lab.goCni, withMiddle);
    await lab.run("rm", ["/opt/cni/bin/gone"]);
    expectPassed(await lab.goCni.del(zone(wrapped(macvlan), wrapped(bridge, "eth1")), container));
    expect(await lab.kernel.leases()).toEqual([]);
    expect(await lab.kernel.linkNames(container)).toEqual(["lo"]);
    expect(await lab.kernel.journals()).toEqual(["c1/zone:eth0"]);
  });
});

test("a plugin's name begins with another one's: each gets its own prevResult on DEL, without a result", async ({
  lab,
}) => {
  const list = zone(wrapped(front), ...["foo-x", "foo"].map((type) => ({ type: `${type}-wrapper` })));
  for (const name of ["foo", "foo-x"]) {
    const script = `cat >"/run/lab/${name}-$CNI_COMMAND"; exec /opt/cni/bin/tuning <"/run/lab/${name}-$CNI_COMMAND"`;
    await installPlugin(lab, name, script);
    await lab.run("ln", ["-s", "cni-wrappers", `/opt/cni/bin/${name}-wrapper`]);
  }
  const container = await attached(lab, lab.goCni, list);
  await lab.run("rm", ["/var/lib/cni/results/zone-c1-eth0"]);
  expectPassed(await lab.goCni.del(list, container));
  for (const name of ["foo", "foo-x"]) {
    const { prevResult } = JSON.parse(await lab.readFile(`/run/lab/${name}-DEL`));
    expect(prevResult?.ips, name).toMatchObject([{ address: "172.30.0.2/20" }]);
  }
  await expectNothingLeft(lab, ["front0"]);
});

test("a creator of two interfaces keeps both: CHECK gets them, and DEL", async ({ lab }) => {
  const answer = `{"cniVersion":"1.0.0","interfaces":[{"name":"eth1","sandbox":"'$CNI_NETNS'"},{"name":"eth9","sandbox":"'$CNI_NETNS'"}],"ips":[{"address":"10.9.0.2/24","interface":0},{"address":"10.9.1.2/24","interface":1}]}`;
  const script = `cat > /run/lab/two-$CNI_COMMAND; [ "$CNI_COMMAND" != ADD ] || echo '${answer}'`;
  await installPlugin(lab, "two", script);
  const two = { type: "bridge-wrapper", wrapper: { delegate: "two", role: "creator", ifName: "eth1" } };
  const list = zone(wrapped(macvlan), two);
  const container = await attached(lab, lab.goCni, list);
  expectPassed(await lab.goCni.check(list, container));
  expectPassed(await lab.goCni.del(list, container));
  for (const verb of ["CHECK", "DEL"]) {
    const { prevResult } = JSON.parse(await lab.readFile(`/run/lab/two-${verb}`));
    expect(
      prevResult.interfaces.map(({ name }: { name: string }) => name),
      verb,
    ).toEqual(["eth1", "eth9"]);
    expect(prevResult.ips, verb).toMatchObject([{ interface: 0 }, { interface: 1 }]);
  }
});

test.for([{}, { dataDir: "/run/leases" }])(
  "an unrelated network has the same address: DEL removes firewall's rules %j",
  async (where, { lab }) => {
    const second = { ...bridge, ipam: { ...hostLocal("172.26.64.0/20"), ...where } };
    const za = named("za", wrapped(front), wrapped(second, "eth1"), wrapped(firewall, "eth1"));
    const zb = named("zb", wrapped({ ...macvlan, ipam: hostLocal("172.26.64.0/20") }));
    const [one, other] = [await lab.addContainer("c1"), await lab.addContainer("c2")];
    expectPassed(await lab.goCni.add(za, one));
    expectPassed(await lab.goCni.add(zb, other));
    expect(await lab.kernel.addresses(other, "eth0")).toEqual(await lab.kernel.addresses(one, "eth1"));
    expectPassed(await lab.goCni.del(za, one));
    expect((await lab.kernel.packetRules()).filter((rule) => rule.includes("172.26.64.2"))).toEqual([]);
  },
);

/** The packet rules of both backends, and the links of the host. */
async function stateOf(lab: Lab, container: Container): Promise<{ rules: string; links: unknown }> {
  const rules = await lab.run("sh", ["-c", "nft list ruleset; iptables-save -t nat | grep -v '^[#:]'"]);
  const links = [await lab.kernel.linkNames(), await lab.kernel.linkNames(container)];
  return { rules: rules.replace(/counter packets \d+ bytes \d+/g, "counter"), links };
}

function spoofRules(lab: Lab): Promise<string> {
  return lab.run("nft", ["list", "table", "bridge", "nat"]);
}

/** Two ADDs of a list as net1 fail, and neither they nor their DEL change the rules. */
async function expectRulesStay(lab: Lab, list: NetworkList, container: Container): Promise<void> {
  const before = await spoofRules(lab);
  for (const _ of [1, 2]) {
    expectFailure(await lab.cnitool.addAs("net1", list, container), /exists/);
    expect(await spoofRules(lab)).toBe(before);
  }
  expectPassed(await lab.cnitool.delAs("net1", list, container));
  expect(await spoofRules(lab)).toBe(before);
}

/** Lets a system call of some wrappers fail for a path, until there is a file /run/lab/whole. */
async function breakCalls(lab: Lab, call: string, path: string, names: readonly string[]): Promise<void> {
  const fault = `strace -f -qq -o /dev/null -P ${path} -e trace=${call} -e inject=${call}:error=EIO`;
  await lab.run("sh", ["-c", "mkdir /opt/cni/first; cp -P /opt/cni/bin/*-wrapper* /opt/cni/first"]);
  for (const name of names) {
    const script = `[ -e /run/lab/whole ] || fault='${fault}'; exec $fault /opt/cni/first/${name}-wrapper`;
    await installPlugin(lab, `${name}-wrapper`, script);
  }
}
