import type { ValueName, Values } from "./values.ts";

/** A list to start from. */
export interface Preset {
  readonly title: string;
  readonly listName: string;
  readonly fields: readonly ValueName[];
  /** Values that the preset does not need. */
  readonly optional?: readonly ValueName[];
  plugins(values: Values): readonly object[];
}

const lanFields = ["master", "lan", "gateway", "lanStart", "lanEnd"] as const;

/** The presets by name. */
export const presets: Readonly<Record<string, Preset>> = {
  "nomad-bridge": {
    title: 'the list that Nomad makes for mode = "bridge"',
    listName: "nomad-bridge",
    fields: ["name", "cniVersion", "bridge", "subnet", "adminChain"],
    optional: ["subnet6"],
    plugins: (values) => [
      { type: "loopback" },
      {
        ...{ type: "bridge-wrapper", bridge: values.bridge, ipMasq: true, isGateway: true, forceAddress: true },
        hairpinMode: false,
        // A tmpfs: a reboot frees the leases.
        ipam: { ...bridgeIpam(values), dataDir: "/var/run/cni" },
      },
      { type: "firewall", backend: "iptables", iptablesAdminChainName: values.adminChain },
      { type: "portmap", capabilities: { portMappings: true }, snat: true },
    ],
  },
  "macvlan+bridge": {
    title: "an address in the surrounding network, and a bridge to the host and its containers",
    listName: "zone",
    fields: ["name", "cniVersion", ...lanFields, "bridge", "subnet"],
    plugins: (values) => [
      { type: "macvlan-wrapper", master: values.master, ipam: { ...lanIpam(values), routes: [{ dst: "0.0.0.0/0" }] } },
      {
        ...{ type: "bridge-wrapper", wrapper: { ifName: "eth1" }, bridge: values.bridge, isGateway: true },
        ipam: { type: "host-local", ranges: [[{ subnet: values.subnet }]] },
      },
    ],
  },
  "dual-stack": {
    title: "a bridge with IPv4 and IPv6, and an address in the surrounding network",
    listName: "dual",
    fields: ["name", "cniVersion", "bridge", ...lanFields, "subnet", "subnet6"],
    plugins: (values) => [
      { type: "bridge-wrapper", bridge: values.bridge, ipMasq: true, isGateway: true, ipam: bridgeIpam(values) },
      { type: "macvlan-wrapper", wrapper: { ifName: "eth1" }, master: values.master, ipam: lanIpam(values) },
    ],
  },
};

function bridgeIpam({ subnet, subnet6 }: Values): object {
  const second = subnet6 === undefined ? [] : [[{ subnet: subnet6 }]];
  const routes = [{ dst: "0.0.0.0/0" }, ...second.map(() => ({ dst: "::/0" }))];
  return { type: "host-local", ranges: [[{ subnet }], ...second], routes };
}

function lanIpam({ lan, lanStart, lanEnd, gateway }: Values): object {
  return { type: "host-local", ranges: [[{ subnet: lan, rangeStart: lanStart, rangeEnd: lanEnd, gateway }]] };
}
