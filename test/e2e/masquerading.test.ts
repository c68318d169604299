import { linesOf } from "../support/kernel.ts";
import { type Container, Lab } from "../support/lab.ts";
import { describe, expect, test } from "../support/lab-test.ts";
import type { NetworkList } from "../support/runtime.ts";
import {
  attached,
  expectFailure,
  expectNothingLeft,
  expectPassed,
  expectSound,
  expectSuccess,
  expectUndone,
} from "./calls.ts";
import { installPlugin } from "./recovery-support.ts";
import { hostLocal, named, older, wrapped, zone } from "./support.ts";

const masquerading = (device: string, subnet: string) => ({
  type: "bridge",
  bridge: device,
  isGateway: true,
  ipMasq: true,
  ipam: hostLocal(subnet),
});

describe("two bridges that masquerade", () => {
  const first = masquerading("disc0", "10.20.0.0/24");
  const second = masquerading("disc1", "10.30.0.0/24");
  const list = zone(wrapped(first), wrapped(second, "eth1"));

  test("have a chain each, pass CHECK and leave nothing behind on DEL", async ({ lab }) => {
    const container = await attached(lab, lab.runtime, list);
    const id = lab.runtime.id(container);
    const rules = await lab.kernel.packetRules();
    const chains = rules.filter((rule) => /^:CNI-[0-9a-f]{24} -$/.test(rule));
    expect(chains).toHaveLength(2);
    expect(rules.filter((rule) => rule.includes("-A POSTROUTING")).map(withoutChain)).toEqual([
      `-A POSTROUTING -s 10.20.0.2/32 -m comment --comment "name: \\"zone\\" id: \\"${id}\\"" -j CHAIN`,
      `-A POSTROUTING -s 10.30.0.2/32 -m comment --comment "name: \\"zone-eth1\\" id: \\"${id}\\"" -j CHAIN`,
    ]);
    await expectSound(lab, list, container, ["disc0", "disc1"], lab.runtime);
  });

  test("leave nothing behind on DEL after a container has lost an address", async ({ lab }) => {
    const container = await attached(lab, lab.runtime, list);
    await lab.ip(container, "address", "flush", "dev", "eth1");
    expect((await lab.runtime.check(list, container)).exitCode).toBe(1);
    await expectUndone(lab, list, container, ["disc0", "disc1"], lab.runtime);
  });

  test("share a chain in one network: DEL of the second runs twice, and leaves nothing", async () => {
    await using lab = await Lab.start(older);
    const shared = zone(wrapped(first), { ...wrapped(second), wrapper: { ifName: "eth1", network: "zone" } });
    const container = await attached(lab, lab.runtime, shared);
    const chains = (await lab.kernel.packetRules()).filter((rule) => /^:CNI-[0-9a-f]{24} -$/.test(rule));
    expect(chains).toHaveLength(1);
    await expectUndone(lab, shared, container, ["disc0", "disc1"], lab.runtime);
  });
});

test.for([
  ["the next DEL", (lab: Lab, list: NetworkList, container: Container) => lab.goCni.del(list, container)],
  ["prune", (lab: Lab) => lab.call(Lab.command, ["prune", "--write", "--yes"])],
] as const)(
  "a DEL that lent its plugin a namespace is killed: %s leaves neither that nor a rule",
  async ([_, remove], { lab, container }) => {
    const list = zone(wrapped(masquerading("disc0", "10.20.0.0/24")));
    expectPassed(await lab.goCni.add(list, container));
    await lab.writeFile("/opt/cni/config/zone.conflist", JSON.stringify(list));
    await lab.deleteNamespace(container);
    const gone = { ...container, netns: "" };
    await lab.run("cp", ["/opt/cni/bin/bridge", "/opt/cni/bridge"]);
    await installPlugin(lab, "bridge", "kill -9 $PPID; exec sleep 1");
    expect(await lab.goCni.del(list, gone)).toMatchObject({ exitCode: 1 });
    expect(await lab.readdir("/run/netns")).toEqual([expect.stringMatching(/^cni-wrappers-/)]);
    await installPlugin(lab, "bridge", "exec /opt/cni/bridge");
    const [all, kept] = ["/var/lib/cni", "/opt/kept"];
    await lab.run("sh", ["-c", `mkdir ${kept}; mv ${all}/results ${all}/wrappers ${kept}`]);
    const { stdout, stderr } = await lab.call(Lab.command, ["status"]);
    expect(stdout + stderr).not.toContain("cni-wrappers-");
    await lab.run("sh", ["-c", `mv ${kept}/* ${all}`]);
    expectPassed(await remove(lab, list, gone));
    expect([await lab.kernel.packetRules(), await lab.kernel.leases(), await lab.kernel.journals()]).toEqual([
      [],
      [],
      [],
    ]);
    expect(await lab.readdir("/run/netns")).toEqual([]);
  },
);

test("a bridge has macspoofchk, and the namespace is gone or replaced: DEL leaves none of its rules", async ({
  lab,
}) => {
  const plugin = { type: "bridge", bridge: "disc0", macspoofchk: true, ipam: hostLocal("10.20.0.0/24") };
  const list = zone(wrapped(plugin));
  const rules = () => lab.run("nft", ["list", "table", "bridge", "nat"]);
  let container = await attached(lab, lab.runtime, list);
  for (const isReplaced of [true, false]) {
    expect(await rules()).toContain("cni-br-iface-c1-eth0");
    await lab.deleteNamespace(container);
    if (isReplaced) container = await attached(lab, lab.runtime, list);
  }
  expectSuccess(await lab.runtime.del(list, container));
  expect(await rules()).not.toContain("c1-eth0");
  await expectNothingLeft(lab, ["disc0"]);
});

// The rules name the container's address, which only the lease tells by then. ip(8) has a word "link" of its own.
test.for([
  ["default", "eth1"],
  ["/run/leases", "link"],
] as const)(
  "a bridge is killed after it has masqueraded, and the namespace is gone: DEL leaves no rule (dataDir: %s)",
  async ([directory, ifName], { lab, container }) => {
    const plugin = masquerading("disc0", "10.20.0.0/24");
    const ipam = { ...plugin.ipam, ...(directory !== "default" && { DataDir: directory }) };
    const list = zone(wrapped({ ...plugin, ipam }, ifName));
    const real = "/run/lab/plugins/bridge";
    await installPlugin(lab, "bridge", `[ $CNI_COMMAND = ADD ] || exec ${real}; ${real} >/dev/null; kill -9 $$`);
    expect((await lab.runtime.add(list, container)).exitCode).toBe(1);
    expect((await lab.kernel.packetRules()).join()).toContain("-s 10.20.0.2/32");
    await lab.deleteNamespace(container);
    await expectUndone(lab, list, container, ["disc0"], lab.runtime);
    expect(await lab.readdir(`/run/leases/zone-${ifName}`)).not.toContain("10.20.0.2");
  },
);

// It has masqueraded IPv4 by then. It frees its lease, and leaves its interface.
describe("bridge cannot masquerade IPv6", () => {
  const plugin = masquerading("disc0", "10.20.0.0/24");
  const ranges = ["10.20.0.0/24", "fd00:20::/64"].map((subnet) => [{ subnet }]);
  const dual = {
    ...wrapped({ ...plugin, ipam: { type: "host-local", ranges } }),
    wrapper: { ifName: "eth1", network: "pool" },
  };

  /** Attaches a container, which fails after the first rule. */
  async function fail(lab: Lab, list: NetworkList, container: Container): Promise<void> {
    const refused = 'case "$*" in *"-A POSTROUTING"*) exit 4;; esac; exec /usr/sbin/ip6tables "$@"';
    await lab.writeScript("/run/lab/refusing/ip6tables", `#!/bin/sh\n${refused}\n`);
    const refusing = "[ $CNI_COMMAND = ADD ] && PATH=/run/lab/refusing:$PATH; exec /run/lab/plugins/bridge";
    await installPlugin(lab, "bridge", refusing);
    expectFailure(await lab.cnitool.addAs("eth0", list, container), /ip6tables/);
    expect((await lab.kernel.packetRules()).join()).toContain("-s 10.20.0.2/32");
  }

  test("and the namespace is gone: DEL leaves no rule", async ({ lab, container }) => {
    const list = zone(dual);
    await fail(lab, list, container);
    await lab.deleteNamespace(container);
    await expectUndone(lab, list, container, ["disc0"], lab.cnitool);
  });

  test("and another attachment has its chain: both DELs leave no rule", async ({ lab, container }) => {
    const shared = { ...wrapped(masquerading("disc1", "10.30.0.0/24")), wrapper: { ifName: "eth2", network: "pool" } };
    const other = named("other", shared);
    expectPassed(await lab.cnitool.addAs("net1", other, container));
    const list = zone(dual);
    await fail(lab, list, container);
    expectPassed(await lab.cnitool.del(list, container));
    expectPassed(await lab.cnitool.checkAs("net1", other, container));
    expectPassed(await lab.cnitool.delAs("net1", other, container));
    await expectNothingLeft(lab, ["disc1", "disc0"]);
  });
});

describe("two bridges that masquerade by nftables", () => {
  const byNftables = { ipMasqBackend: "nftables" };
  const first = { ...masquerading("disc0", "10.20.0.0/24"), ...byNftables };
  const second = { ...masquerading("disc1", "10.30.0.0/24"), ...byNftables };
  const list = zone(wrapped(first), wrapped(second, "eth1"));

  test("have a rule each, pass CHECK and leave none behind on DEL", async ({ lab }) => {
    const container = await attached(lab, lab.runtime, list);
    const id = lab.runtime.id(container);
    const rules = (await masqueradingRules(lab)).map((rule) => rule.replace(/[0-9a-f]{16}-[0-9a-f]{16}/, "HASH"));
    expect(rules).toEqual([
      `ip saddr 10.20.0.2 ip daddr != 10.20.0.0/24 masquerade comment "HASH, net: zone, if: eth0, id: ${id}"`,
      `ip saddr 10.30.0.2 ip daddr != 10.30.0.0/24 masquerade comment "HASH, net: zone-eth1, if: eth1, id: ${id}"`,
    ]);
    expectSuccess(await lab.runtime.check(list, container));
    expectSuccess(await lab.runtime.del(list, container));
    expect(await masqueradingRules(lab)).toEqual([]);
    await expectNothingLeft(lab, ["disc0", "disc1"]);
  });
});

async function masqueradingRules(lab: Lab): Promise<string[]> {
  const text = await lab.run("nft", ["list", "chain", "inet", "cni_plugins_masquerade", "masq_checks"]);
  return linesOf(text).filter((line) => line.startsWith("ip "));
}

function withoutChain(rule: string): string {
  return rule.replace(/CNI-[0-9a-f]{24}/, "CHAIN");
}
