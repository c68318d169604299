import type { needs } from "../../support/needs.ts";
import type { SpecVersion } from "./case.ts";
import type { Trial } from "./trial.ts";

/** What a plugin can be: it creates interfaces, or it changes those of earlier plugins. */
export const roles = ["interface", "chained"] as const;

/** A plugin under test. */
export interface Target {
  /** The type in its configuration. */
  readonly type: string;
  /** The executable in the lab. */
  readonly file: string;
  readonly role: (typeof roles)[number];
  /** Its configuration has no IPAM plugin. */
  readonly withoutIpam?: boolean;
  /** The kernel does not let anybody change its interface's MAC. */
  readonly hasFixedMac?: true;
  /** The configuration for a trial. Trials differ by their number. */
  readonly config: (number: number, trial: Trial) => Readonly<Record<string, unknown>>;
  /** Keys of the configuration for a second interface of a container, if it cannot have the first one's. */
  readonly second?: (number: number) => Readonly<Record<string, unknown>>;
  /** Links that ADD may leave, or that a namespace takes with it. */
  readonly staying?: (number: number) => readonly string[];
  /** It changes the result of the plugins before it. */
  readonly changesResult?: true;
  /** Breaks what its ADD made, for the case of CHECK. */
  readonly breakIt?: (trial: Trial) => Promise<unknown>;
  /** Takes the interface away, if it cannot be deleted. */
  readonly lose?: (trial: Trial) => Promise<unknown>;
  readonly prepare?: (trial: Trial) => Promise<unknown>;
  readonly cleanUp?: (trial: Trial) => Promise<unknown>;
}

/** What the table says about a reference plugin. */
export interface Setup
  extends Pick<
    Target,
    | "role"
    | "config"
    | "hasFixedMac"
    | "second"
    | "staying"
    | "changesResult"
    | "breakIt"
    | "lose"
    | "prepare"
    | "cleanUp"
  > {
  readonly needs?: keyof typeof needs;
  /** The oldest version of the specification that it has. Without it: 0.3.0. */
  readonly since?: SpecVersion;
}

function leased(number: number) {
  const subnet = `10.88.${number % 250}`;
  const routes = [{ dst: "10.200.0.0/16", gw: `${subnet}.1` }];
  return { ipam: { type: "host-local", ranges: [[{ subnet: `${subnet}.0/24` }]], routes } };
}

const portMappings = (number: number) => [{ hostPort: 20_000 + number, containerPort: 80, protocol: "tcp" }];

/** A configuration for each reference plugin that has a wrapper. */
export const setups: Readonly<Record<string, Setup>> = {
  bridge: {
    role: "interface",
    config: (number) => ({ bridge: `br${number}`, isGateway: true, ipMasq: true, ...leased(number) }),
    // The bridge belongs to all containers.
    staying: (number) => [`br${number}`],
    cleanUp: ({ lab, number }) => lab.call("ip", ["link", "delete", `br${number}`]),
  },
  macvlan: { role: "interface", config: (number) => ({ master: "uplink0", ...leased(number) }) },
  ptp: { role: "interface", config: (number) => ({ ipMasq: true, ...leased(number) }) },
  ipvlan: {
    role: "interface",
    needs: "ipvlan",
    hasFixedMac: true,
    config: (number) => ({ master: "uplink0", ...leased(number) }),
  },
  vlan: {
    role: "interface",
    needs: "vlan",
    config: (number) => ({ master: "uplink0", vlanId: 1 + (number % 2000), ...leased(number) }),
    second: (number) => ({ vlanId: 2001 + (number % 2000) }),
  },
  "host-device": {
    role: "interface",
    prepare: ({ lab, number }) =>
      lab.run("sh", [
        "-ec",
        `ip link add card${number} type veth peer name wire${number}
        ip link add spare${number} type veth peer name other${number}`,
      ]),
    config: (number) => ({ device: `card${number}`, ...leased(number) }),
    second: (number) => ({ device: `spare${number}` }),
    // A real card comes back from a deleted namespace, but a veth does not.
    staying: (number) => [`card${number}`, `wire${number}`],
    cleanUp: ({ lab, number }) => lab.call("sh", ["-c", `for of in wire other; do ip link delete $of${number}; done`]),
  },
  tap: { role: "interface", config: leased },
  dummy: { role: "interface", needs: "dummy", config: leased },
  portmap: {
    role: "chained",
    config: (number) => ({ runtimeConfig: { portMappings: portMappings(number) } }),
    breakIt: deleteRules("nat", "to-destination"),
  },
  tuning: {
    role: "chained",
    config: () => ({ sysctl: { "net.ipv4.conf.IFNAME.arp_filter": "1" } }),
    breakIt: ({ lab, container }) =>
      lab.run("ip", ["netns", "exec", container.name, "sh", "-c", "echo 0 >/proc/sys/net/ipv4/conf/eth0/arp_filter"]),
  },
  bandwidth: {
    role: "chained",
    changesResult: true,
    config: () => ({ ingressRate: 8_000_000, ingressBurst: 800_000, egressRate: 8_000_000, egressBurst: 800_000 }),
    breakIt: ({ lab, container }) => lab.run("tc", ["qdisc", "delete", "dev", `h${container.name}`, "root"]),
  },
  firewall: {
    role: "chained",
    since: "0.4.0",
    config: () => ({ backend: "iptables" }),
    breakIt: deleteRules("filter", "-j ACCEPT"),
  },
  sbr: {
    role: "chained",
    config: () => ({}),
    breakIt: ({ lab, container, address }) => lab.ip(container, "rule", "del", "from", address),
  },
  vrf: {
    role: "chained",
    needs: "vrf",
    since: "0.3.1",
    config: () => ({ vrfname: "blue" }),
    breakIt: ({ lab, container }) => lab.ip(container, "link", "set", "eth0", "nomaster"),
  },
};

/** Deletes the packet rules of a table that have a trial's address and these words. */
function deleteRules(table: string, words: string) {
  return async ({ lab, address }: Trial) => {
    const rules = (await lab.run("iptables-save", ["-t", table])).split("\n");
    const own = rules.filter((rule) => rule.includes(address) && rule.includes(words));
    if (own.length === 0) throw new Error(`no rule of ${table} has ${address}`);
    for (const rule of own) await lab.run("iptables", ["-t", table, ...rule.replace(/^-A/, "-D").split(" ")]);
  };
}
