import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { Lab, type Outcome } from "../support/lab.ts";
import { hostHas, type needs } from "../support/needs.ts";
import type { AttachOptions, NetworkList } from "../support/runtime.ts";
import { expectFailure } from "./support.ts";

const directory = path.resolve(import.meta.dirname, "../../conf-examples");
const first = "/opt/cni/first";
const cards = ["ens19", "ens20"];

/** The interfaces that an example gives its first container, from its page. */
interface Example {
  readonly addresses: Readonly<Record<string, readonly string[]>>;
  /** More links in the container, without addresses. */
  readonly made?: readonly string[];
  /** Bridges that stay on the host. */
  readonly bridges: readonly string[];
  readonly options?: AttachOptions;
  /** Only one container at a time can have its addresses. */
  readonly alone?: true;
  /** A feature that the kernel may lack. */
  readonly needs?: keyof typeof needs;
}

/** Nomad's argument for consul-cni. */
const proxy = JSON.stringify({ ProxyUserID: "101", ProxyInboundPort: 20000, ProxyOutboundPort: 15001 });

const examples: Readonly<Record<string, Example>> = {
  "macvlan-bridge": {
    addresses: { eth0: ["172.16.5.100/24"], eth1: ["172.26.64.2/20"] },
    bridges: ["disc0"],
  },
  "macvlan-bridge-static": {
    addresses: { eth0: ["172.16.5.20/24"], eth1: ["172.26.64.20/20"] },
    bridges: ["disc0"],
    alone: true,
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
    addresses: { eth0: ["172.16.5.100/24"], eth1: ["10.40.0.2/24"], eth2: ["10.41.0.2/24"] },
    bridges: ["storage0", "backup0"],
  },
  "layer-2": {
    addresses: { wire: [], eth0: ["172.28.0.2/20"] },
    bridges: ["wire0", "wire1"],
  },
  "published-on-two": {
    addresses: { eth0: ["172.30.0.2/20"], eth1: ["10.51.0.2/24"] },
    bridges: ["front0"],
    options: {
      ports: [
        { hostPort: 25080, containerPort: 80, protocol: "tcp" },
        { hostPort: 25443, containerPort: 443, protocol: "tcp" },
      ],
    },
  },
  limited: {
    addresses: { eth0: ["172.16.5.100/24"], eth1: ["172.31.0.2/20"] },
    bridges: ["shared0"],
  },
  "source-routing": {
    addresses: { eth0: ["172.16.5.100/24"], eth1: ["172.16.6.100/24"] },
    bridges: [],
  },
  isolated: {
    addresses: { eth0: ["172.16.5.100/24"], eth1: ["172.27.64.2/20"] },
    made: ["tenant"],
    bridges: ["tenant0"],
    needs: "vrf",
  },
  "two-cards": {
    addresses: { eth0: ["10.60.0.2/24"], eth1: ["10.61.0.2/24"] },
    bridges: [],
    alone: true,
  },
  routed: {
    addresses: { eth0: ["172.16.5.100/24"], host0: ["10.50.0.2/24"] },
    bridges: [],
  },
  "virtual-machine": {
    addresses: { eth0: ["172.29.0.2/20"], tap0: ["10.70.0.2/24"] },
    bridges: ["machine0"],
  },
  "two-vlans": {
    addresses: { eth0: ["172.16.5.2/24"], eth1: ["172.16.6.2/24"] },
    bridges: [],
    needs: "vlan",
  },
  "two-ipvlans": {
    addresses: { eth0: ["172.16.5.100/24"], eth1: ["172.16.6.2/24"] },
    bridges: [],
    needs: "ipvlan",
  },
  "service-address": {
    addresses: { eth0: ["172.16.5.20/24"], svc0: ["10.255.0.1/32"] },
    bridges: [],
    alone: true,
    needs: "dummy",
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

  const isPossible = !example.needs || hostHas[example.needs];

  test.runIf(isPossible)("gives the interfaces and addresses of its page, and leaves nothing", async () => {
    await using lab = await prepared();
    const [container, other] = [await lab.addContainer("c1"), await lab.addContainer("c2")];
    expectNoFailure(await lab.goCni.add(list, container, example.options));
    for (const [ifName, addresses] of Object.entries(example.addresses)) {
      expect(await lab.kernel.addresses(container, ifName)).toEqual(addresses);
    }
    expect((await lab.kernel.linkNames(container)).sort()).toEqual(
      ["lo", ...Object.keys(example.addresses), ...(example.made ?? [])].sort(),
    );
    const { alone } = example;
    const otherOptions = { ...example.options, ports: [] };
    if (!alone) expectNoFailure(await lab.goCni.add(list, other, otherOptions));
    expectNoFailure(await lab.goCni.check(list, container, example.options));
    if (!alone) expectNoFailure(await lab.goCni.check(list, other, otherOptions));
    expectNoFailure(await lab.goCni.del(list, container, example.options));
    if (!alone) expectNoFailure(await lab.goCni.del(list, other, otherOptions));
    await expectNothingOfContainers(lab, list, example);
  });

  test.runIf(isPossible).each(Object.keys(example.addresses))("fails CHECK when %s is gone", async (ifName) => {
    await using lab = await prepared();
    const container = await lab.addContainer("c1");
    expectNoFailure(await lab.goCni.add(list, container, example.options));
    await lab.ip(container, "link", "delete", ifName);
    expectFailure(
      await lab.goCni.check(list, container, example.options),
      new RegExp(`\\b${ifName}\\b.* not found|find container link ${ifName}$`),
    );
  });
});

/** sbr writes a log to stderr. */
function expectNoFailure({ exitCode, stderr }: Outcome): void {
  expect({ exitCode, stderr: stderr.replace(/^\d{4}(\/\d\d){2} .*(\n|$)/gm, "") }).toEqual({ exitCode: 0, stderr: "" });
}

/** firewall and portmap keep chains for all containers. Only the rules that name a container must be gone. */
async function expectNothingOfContainers(lab: Lab, list: NetworkList, { bridges }: Example): Promise<void> {
  const links = await lab.kernel.linkNames();
  expect(links.sort()).toEqual(
    ["lo", "uplink1", "ens18", ...cards, ...cards.map((card) => `far-${card}`), ...bridges].sort(),
  );
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
  // The examples' uplink and cards.
  await lab.ip(undefined, "link", "set", "uplink0", "name", "ens18");
  for (const card of cards) await lab.ip(undefined, "link", "add", card, "type", "veth", "peer", "name", `far-${card}`);
  await lab.run("ln", ["-s", "/run/lab/drivers/consul-cni", `${Lab.pluginPath}/consul-cni`]);
  await lab.run("mkdir", [first]);
  for (const plugin of ["bridge", "macvlan"]) await lab.run("ln", ["-s", "../bin/cni-wrappers", `${first}/${plugin}`]);
  return lab;
}
