import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { Lab } from "../tools/lab.ts";
import type { AttachOptions, NetworkList } from "../tools/runtime.ts";
import { expectFailure, expectSuccess } from "./support.ts";

const directory = path.resolve(import.meta.dirname, "../../conf-examples");
const first = "/opt/cni/first";

/** What an example gives its first container, read off its page. */
interface Example {
  readonly addresses: Readonly<Record<string, readonly string[]>>;
  /** Bridges that stay on the host. */
  readonly bridges: readonly string[];
  readonly options?: AttachOptions;
}

/** What Nomad tells consul-cni. */
const proxy = JSON.stringify({ ProxyUserID: "101", ProxyOutboundPort: 15001 });

const examples: Readonly<Record<string, Example>> = {
  "macvlan-bridge": {
    addresses: { eth0: ["172.16.5.100/24"], eth1: ["172.26.64.2/20"] },
    bridges: ["disc0"],
  },
  "macvlan-bridge-static": {
    addresses: { eth0: ["172.16.5.20/24"], eth1: ["172.26.64.20/20"] },
    bridges: ["disc0"],
  },
  "nomad-second-interface": {
    addresses: { eth0: ["172.26.80.2/20"], eth1: ["172.16.5.100/24"] },
    bridges: ["nomad-lan"],
    options: { ports: [{ hostPort: 25000, containerPort: 80, protocol: "tcp" }] },
  },
  "nomad-transparent-proxy": {
    addresses: { eth0: ["172.26.112.2/20"], eth1: ["172.16.5.100/24"] },
    bridges: ["nomad-proxy"],
    options: { labels: { IgnoreUnknown: "true", CONSUL_IPTABLES_CONFIG: proxy } },
  },
  ipv6: {
    addresses: { eth0: ["fd00:6::2/64"], eth1: ["fd00:5::2/64"] },
    bridges: ["six0"],
  },
  "dual-stack": {
    addresses: { eth0: ["172.27.0.2/20", "fd00:27::2/64"], eth1: ["172.16.5.100/24", "fd00:5::2/64"] },
    bridges: ["dual0"],
  },
  "three-interfaces": {
    addresses: { eth0: ["172.16.5.100/24"], storage: ["10.40.0.2/24"], backup: ["10.41.0.2/24"] },
    bridges: ["storage0", "backup0"],
  },
  "layer-2": {
    addresses: { wire: [], eth0: ["172.28.0.2/20"] },
    bridges: ["wire0", "wire1"],
  },
  "drop-in": {
    addresses: { eth0: ["172.16.5.100/24"], eth1: ["172.26.64.2/20"] },
    bridges: ["disc0"],
    options: { pluginPath: `${first}:${Lab.pluginPath}` },
  },
};

/** Examples that another suite runs: this one needs a DHCP server. */
const runElsewhere = { "macvlan-bridge-dhcp": "../runtimes/dhcp.test.ts" };

test("every example is run, described, and its wrappers exist", () => {
  const files = readdirSync(directory).filter((name) => name.endsWith(".conflist"));
  const run = [...Object.keys(examples), ...Object.keys(runElsewhere)];
  expect(files.sort()).toEqual(run.map((name) => `${name}.conflist`).sort());
  for (const [name, suite] of Object.entries(runElsewhere)) {
    expect(readFileSync(path.join(import.meta.dirname, suite), "utf8")).toContain(`conf-examples/${name}.conflist`);
  }
  const page = readFileSync(path.join(directory, "README.md"), "utf8");
  const described = [...page.matchAll(/^## (\S+\.conflist)$/gm)].map(([, name]) => name);
  expect(described.sort()).toEqual(files.sort());
});

describe.each(Object.entries(examples))("%s.conflist", (name, example) => {
  const list: NetworkList = JSON.parse(readFileSync(path.join(directory, `${name}.conflist`), "utf8"));

  test("gives the interfaces and addresses of its page, and leaves nothing", async () => {
    await using lab = await prepared();
    const [container, other] = [await lab.addContainer("c1"), await lab.addContainer("c2")];
    expectSuccess(await lab.goCni.add(list, container, example.options));
    for (const [ifName, addresses] of Object.entries(example.addresses)) {
      expect(await lab.kernel.addresses(container, ifName)).toEqual(addresses);
    }
    expect((await lab.kernel.linkNames(container)).sort()).toEqual(["lo", ...Object.keys(example.addresses)].sort());
    const alone = name.endsWith("-static");
    const otherOptions = { ...example.options, ports: [] };
    if (!alone) expectSuccess(await lab.goCni.add(list, other, otherOptions));
    expectSuccess(await lab.goCni.check(list, container, example.options));
    if (!alone) expectSuccess(await lab.goCni.check(list, other, otherOptions));
    expectSuccess(await lab.goCni.del(list, container, example.options));
    if (!alone) expectSuccess(await lab.goCni.del(list, other, otherOptions));
    await expectNothingOfContainers(lab, list, example);
  });

  test.each(Object.keys(example.addresses))("fails CHECK when %s is gone", async (ifName) => {
    await using lab = await prepared();
    const container = await lab.addContainer("c1");
    expectSuccess(await lab.goCni.add(list, container, example.options));
    await lab.ip(container, "link", "delete", ifName);
    expectFailure(await lab.goCni.check(list, container, example.options), new RegExp(`\\b${ifName}\\b.* not found`));
  });
});

/** firewall and portmap keep chains of their own for all containers: of those only what names a container must be gone. */
async function expectNothingOfContainers(lab: Lab, list: NetworkList, { bridges }: Example): Promise<void> {
  expect(await lab.kernel.linkNames()).toEqual(["lo", "uplink1", "ens18", ...bridges]);
  expect(await lab.kernel.leases()).toEqual([]);
  expect(await lab.kernel.cachedResults()).toEqual([]);
  expect(await lab.readdir("/var/lib/cni/wrappers")).toEqual([]);
  expect(await lab.readdir(`/run/cni/${list.name}`)).not.toContainEqual(expect.stringMatching(/^\d+\./));
  expect(await lab.readdir(`/run/cni/${list.name}-eth1`)).not.toContainEqual(expect.stringMatching(/^\d+\./));
  const rules = await lab.kernel.packetRules();
  expect(rules.filter((rule) => /CNI-(DN-)?[0-9a-f]{20}|\b(172|10)\.\d+\.|\bfd00:/.test(rule))).toEqual([]);
}

async function prepared(): Promise<Lab> {
  const lab = await Lab.start({ plugins: "1.9.1" });
  // The examples' uplink.
  await lab.ip(undefined, "link", "set", "uplink0", "name", "ens18");
  await lab.run("ln", ["-s", "/run/lab/drivers/consul-cni", `${Lab.pluginPath}/consul-cni`]);
  await lab.run("mkdir", [first]);
  for (const plugin of ["bridge", "macvlan"]) await lab.run("ln", ["-s", "../bin/cni-wrappers", `${first}/${plugin}`]);
  return lab;
}
