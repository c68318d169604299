import { readFileSync } from "node:fs";
import { mkdir, symlink } from "node:fs/promises";
import path from "node:path";
import { Lab } from "./lab.ts";
import type { needs } from "./needs.ts";
import type { AttachOptions, NetworkList } from "./runtime.ts";

/** The directory of the examples. */
export const exampleDirectory = path.resolve(import.meta.dirname, "../../conf-examples");

/** The cards of the examples' host, besides its uplink. */
export const cards = ["ens19", "ens20"];

const first = "/opt/cni/first";

/** The interfaces that an example gives its first container, from its page. */
export interface Example {
  readonly addresses: Readonly<Record<string, readonly string[]>>;
  /** More links in the container, without addresses. */
  readonly made?: readonly string[];
  /** Bridges that stay on the host. */
  readonly bridges: readonly string[];
  readonly options?: AttachOptions;
  /** Only one container at a time can have its addresses. */
  readonly alone?: true;
  /** CHECK of an earlier plugin may miss the route of a lost interface first. */
  readonly lostRoute?: string;
  /** A feature that the kernel may lack. */
  readonly needs?: keyof typeof needs;
}

/** Nomad's argument for consul-cni. */
const proxy = JSON.stringify({ ProxyUserID: "101", ProxyInboundPort: 20000, ProxyOutboundPort: 15001 });

/** The examples by name, without those of other suites. */
export const examples: Readonly<Record<string, Example>> = {
  "macvlan-bridge": { addresses: { eth0: ["172.16.5.100/24"], eth1: ["172.26.64.2/20"] }, bridges: ["disc0"] },
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
  ipv6: { addresses: { eth0: ["fd00:6::2/64"], eth1: ["fd00:5::2/64"] }, bridges: ["six0"] },
  "dual-stack": {
    addresses: { eth0: ["172.27.0.2/20", "fd00:27::2/64"], eth1: ["172.16.5.100/24", "fd00:5::2/64"] },
    bridges: ["dual0"],
  },
  "three-interfaces": {
    addresses: { eth0: ["172.16.5.100/24"], eth1: ["10.40.0.2/24"], eth2: ["10.41.0.2/24"] },
    bridges: ["storage0", "backup0"],
  },
  "layer-2": { addresses: { wire: [], eth0: ["172.28.0.2/20"] }, bridges: ["wire0", "wire1"] },
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
  limited: { addresses: { eth0: ["172.16.5.100/24"], eth1: ["172.31.0.2/20"] }, bridges: ["shared0"] },
  "source-routing": { addresses: { eth0: ["172.16.5.100/24"], eth1: ["172.16.6.100/24"] }, bridges: [] },
  isolated: {
    addresses: { eth0: ["172.16.5.100/24"], eth1: ["172.27.64.2/20"] },
    made: ["tenant"],
    bridges: ["tenant0"],
    needs: "vrf",
  },
  "two-cards": { addresses: { eth0: ["10.60.0.2/24"], eth1: ["10.61.0.2/24"] }, bridges: [], alone: true },
  routed: { addresses: { eth0: ["172.16.5.100/24"], host0: ["10.50.0.2/24"] }, bridges: [] },
  "virtual-machine": { addresses: { eth0: ["172.29.0.2/20"], tap0: ["10.70.0.2/24"] }, bridges: ["machine0"] },
  "two-vlans": {
    addresses: { eth0: ["172.16.5.2/24"], eth1: ["172.16.6.2/24"] },
    bridges: [],
    alone: true,
    needs: "vlan",
  },
  "two-ipvlans": { addresses: { eth0: ["172.16.5.100/24"], eth1: ["172.16.6.100/24"] }, bridges: [], needs: "ipvlan" },
  "service-address": {
    addresses: { eth0: ["172.16.5.20/24"], svc0: ["10.255.0.1/32"] },
    lostRoute: "^Expected Route {Dst:{IP:10.255.0.1 Mask:ffffffff}",
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

/** The network configuration list of an example. */
export function listOf(name: string): NetworkList {
  return JSON.parse(readFileSync(path.join(exampleDirectory, `${name}.conflist`), "utf8"));
}

/** The same without its wrappers. */
export function plainListOf(name: string): NetworkList {
  const { plugins, ...list } = listOf(name);
  const plain = plugins.map(({ wrapper: _, ...plugin }) => ({
    ...plugin,
    type: `${plugin.type}`.replace("-wrapper", ""),
  }));
  return { ...list, plugins: plain };
}

/** A lab like the host of the examples' pages. `disk` and `recorded` are as in `LabOptions`. */
export async function exampleHost(disk?: string, recorded = false): Promise<Lab> {
  const lab = await Lab.start({ recorded, ...(disk && { disk }) });
  // The examples' uplink and cards. Older kernels rename an interface only while it is down.
  const lines = [
    "link set uplink0 down",
    "link set uplink0 name ens18",
    "link set ens18 up",
    ...cards.map((card) => `link add ${card} type veth peer name far-${card}`),
  ];
  await lab.run("ip", ["-batch", "-"], { input: `${lines.join("\n")}\n` });
  const plugins = recorded ? "/run/lab/real" : Lab.pluginPath;
  const link = (to: string, file: string) => symlink(to, lab.path(file));
  await link("/run/lab/drivers/consul-cni", `${plugins}/consul-cni`);
  if (recorded) await link("/run/lab/drivers/recorder", `${Lab.pluginPath}/consul-cni`);
  await mkdir(lab.path(first));
  for (const plugin of ["bridge", "macvlan"]) await link(`${plugins}/cni-wrappers`, `${first}/${plugin}`);
  return lab;
}
