import path from "node:path";
import { describe, expect, test } from "vitest";
import { expectNothingLeft, expectPassed } from "../e2e/calls.ts";
import { bridge, firewall, front, hostLocal, macvlan, wrapped, zone } from "../e2e/support.ts";
import { earlierRelease, hasEarlierRelease } from "../support/earlier-release.ts";
import { type Container, Lab } from "../support/lab.ts";
import type { AttachOptions, NetworkList } from "../support/runtime.ts";
import { root } from "../support/tree.ts";

// Containers that 0.2.0 has attached. It kept records, which no later version reads.

const options: AttachOptions = { ports: [{ hostPort: 25080, containerPort: 80, protocol: "tcp" }] };
const rates = { ingressRate: 8000000, ingressBurst: 800000, egressRate: 8000000, egressBurst: 800000 };
const portmap = { type: "portmap", backend: "iptables", capabilities: { portMappings: true } };
const onEth1 = (...list: Record<string, unknown>[]) => list.map((plugin) => wrapped(plugin, "eth1"));

const lists: Readonly<Record<string, NetworkList>> = {
  "routes moved by sbr": zone(wrapped(front), ...onEth1(bridge, { type: "sbr" })),
  "every chained plugin": zone(
    wrapped(macvlan),
    ...onEth1(bridge, { type: "tuning", mtu: 1400 }, { type: "bandwidth", ...rates }, firewall, portmap),
  ),
  "the runtime's name, written out": zone(
    wrapped(front, "eth0"),
    ...onEth1(bridge),
    ...[portmap, { type: "bandwidth", ...rates }].map((plugin) => wrapped(plugin, "eth0")),
  ),
  "two masquerading creators": zone(
    wrapped({ ...front, ipMasq: true }),
    ...onEth1({ type: "ptp", ipMasq: true, ipam: hostLocal("10.50.0.0/24") }),
  ),
};

describe.skipIf(!hasEarlierRelease()).each(Object.entries(lists))("%s, attached by 0.2.0", (_, list) => {
  test("CHECK passes, sees a loss, and DEL leaves nothing", async () => {
    await using lab = await Lab.start({ wrappers: await earlierRelease() });
    const [container, other] = [await attachedEarlier(lab, list, "c1"), await attachedEarlier(lab, list, "c2")];
    await upgrade(lab);
    expectPassed(await lab.goCni.check(list, container, options));
    const [address = ""] = await lab.kernel.addresses(container, "eth1");
    await lab.ip(container, "address", "del", address, "dev", "eth1");
    expect((await lab.goCni.check(list, container, options)).exitCode).toBe(1);
    await lab.ip(container, "address", "add", address, "dev", "eth1");
    await lab.deleteNamespace(other);
    for (const each of [container, other]) expectPassed(await lab.goCni.del(list, each, options));
    await expectNoRuleLeft(lab);
  });

  test("a stray ADD changes nothing, and after DEL another ADD passes", async () => {
    await using lab = await Lab.start({ wrappers: await earlierRelease() });
    const container = await attachedEarlier(lab, list, "c1");
    await upgrade(lab);
    const before = await lab.kernel.links(container);
    expect((await lab.goCni.add(list, container, options)).exitCode).toBe(1);
    expect(await lab.kernel.links(container)).toEqual(before);
    expectPassed(await lab.goCni.del(list, container, options));
    expectPassed(await lab.goCni.add(list, container, options));
    expectPassed(await lab.goCni.check(list, container, options));
    expectPassed(await lab.goCni.del(list, container, options));
    await expectNoRuleLeft(lab);
  });
});

async function attachedEarlier(lab: Lab, list: NetworkList, name: string): Promise<Container> {
  if (name === "c1") expect(await lab.kernel.journals()).toEqual([]);
  const container = await lab.addContainer(name);
  // Only one container can have the port.
  expectPassed(await lab.goCni.add(list, container, name === "c1" ? options : {}));
  expect(await lab.kernel.journals()).toContain(`zone:${name}:eth0:eth0`);
  return container;
}

/** Replaces the wrappers by those of this build. */
async function upgrade(lab: Lab): Promise<void> {
  const built = path.join(process.env.CNI_WRAPPERS_BIN ?? path.join(root, "dist/bin"), "cni-wrappers");
  const installed = `${Lab.pluginPath}/cni-wrappers`;
  await lab.run("sh", ["-ec", `umount ${installed}; mount --bind ${built} ${installed}`]);
}

/** firewall and portmap keep chains that belong to no container. */
async function expectNoRuleLeft(lab: Lab): Promise<void> {
  expect((await lab.kernel.packetRules()).filter((rule) => /172\.|10\.50\.|25080|CNI-[0-9a-f]{24}/.test(rule))).toEqual(
    [],
  );
  const tables = ["filter", "nat", "raw", "mangle"];
  const flushes = ["iptables", "ip6tables"].flatMap((tool) =>
    tables.map((table) => `${tool} -t ${table} -F; ${tool} -t ${table} -X`),
  );
  await lab.run("sh", ["-c", flushes.join("; ")]);
  await expectNothingLeft(
    lab,
    (await lab.kernel.linkNames()).filter((name) => ["front0", "disc0"].includes(name)),
  );
}
