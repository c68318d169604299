import type { Plugin } from "./creators.ts";
import type { FieldName, Values } from "./fields.ts";

/** The parts of a list that no value decides. */
export interface Choices {
  readonly hairpin?: true;
  readonly consul?: true;
  /** The last address of the LAN for containers, if another host or the gateway has one behind it. */
  readonly lanEnd?: string | undefined;
}

/** A list to start from. */
export interface Preset {
  readonly title: string;
  readonly listName: string;
  readonly fields: readonly FieldName[];
  /** Values that the preset does not need. */
  readonly optional?: readonly FieldName[];
  /** Where host-local keeps leases, if not on a disk. */
  readonly dataDir?: string;
  /** The plugins without their wrappers: first those that make eth0, eth1 and so on, then the others. */
  creators(values: Values, choices: Choices): readonly Plugin[];
  before?(values: Values): readonly Plugin[];
  after?(values: Values, choices: Choices): readonly Plugin[];
}

const lanFields = ["master", "lan", "gateway", "lanStart"] as const;

/** The presets by name. */
export const presets: Readonly<Record<string, Preset>> = {
  "nomad-bridge": {
    title: 'the list that Nomad makes for mode = "bridge"',
    listName: "nomad-bridge",
    fields: ["name", "cniVersion", "bridge", "subnet", "subnet6", "adminChain"],
    optional: ["subnet6"],
    // A tmpfs: a reboot frees the leases.
    dataDir: "/var/run/cni",
    before: () => [{ type: "loopback" }],
    creators: (values, { hairpin = false }) => [
      {
        ...masquerading(values, { forceAddress: true, hairpinMode: hairpin }),
        ipam: bridgeIpam(values, "/var/run/cni"),
      },
    ],
    after: ({ adminChain }, { consul }) => [
      { type: "firewall", backend: "iptables", iptablesAdminChainName: adminChain },
      { type: "portmap", capabilities: { portMappings: true }, snat: true },
      ...(consul ? [{ type: "consul-cni", log_level: "debug" }] : []),
    ],
  },
  "macvlan+bridge": {
    title: "an address in the surrounding network, and a bridge to the host and its containers",
    listName: "zone",
    fields: ["name", "cniVersion", ...lanFields, "bridge", "subnet"],
    creators: (values, choices) => [
      macvlan(values, choices, [{ dst: "0.0.0.0/0" }]),
      { type: "bridge", bridge: values.bridge, isGateway: true, ipam: hostLocal([{ subnet: values.subnet }]) },
    ],
  },
  "dual-stack": {
    title: "a bridge with IPv4 and IPv6, and an address in the surrounding network",
    listName: "dual",
    fields: ["name", "cniVersion", "bridge", ...lanFields, "subnet", "subnet6"],
    creators: (values, choices) => [{ ...masquerading(values), ipam: bridgeIpam(values) }, macvlan(values, choices)],
  },
};

/** The configuration of host-local, with one range for each of these. */
export function hostLocal(ranges: readonly object[], routes: readonly object[] = [], dataDir?: string): Plugin {
  const groups = ranges.map((range) => [range]);
  return {
    type: "host-local",
    ranges: groups,
    ...(routes.length > 0 && { routes }),
    ...(dataDir !== undefined && { dataDir }),
  };
}

function masquerading({ bridge }: Values, more: Plugin = {}): Plugin {
  return { type: "bridge", bridge, ipMasq: true, isGateway: true, ...more };
}

function bridgeIpam({ subnet, subnet6 }: Values, dataDir?: string): Plugin {
  const ranges = [{ subnet }, ...(subnet6 === undefined ? [] : [{ subnet: subnet6 }])];
  const routes = [{ dst: "0.0.0.0/0" }, ...(subnet6 === undefined ? [] : [{ dst: "::/0" }])];
  return hostLocal(ranges, routes, dataDir);
}

function macvlan({ master, lan, lanStart, gateway }: Values, { lanEnd }: Choices, routes?: readonly object[]): Plugin {
  const range = { subnet: lan, rangeStart: lanStart, ...(lanEnd !== undefined && { rangeEnd: lanEnd }), gateway };
  return { type: "macvlan", master, ipam: hostLocal([range], routes) };
}
