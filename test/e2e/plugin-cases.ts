import { linesOf } from "../support/kernel.ts";
import type { Container, Lab } from "../support/lab.ts";
import type { needs } from "../support/needs.ts";
import type { AttachOptions } from "../support/runtime.ts";
import { hostLocal } from "./support.ts";

/** A plugin configuration as an operator writes it, without a wrapper. */
export type Plugin = Record<string, unknown>;

/** Which of two equal plugins in one chain: the first or the second. */
type Which = 0 | 1;

/** The interface that a plugin made or acts on. */
interface Place {
  readonly lab: Lab;
  readonly container: Container;
  readonly ifName: string;
}

/** The trial of a wrapped plugin in each place of a chain. */
export interface PluginCase {
  readonly role: "creator" | "meta";
  /** Its configuration. Two of them work together in one chain. */
  readonly plugin: (which: Which) => Plugin;
  /** The effect of its ADD, read without the plugin, and the expected value. */
  readonly effect: {
    readonly read: (place: Place) => Promise<unknown>;
    readonly expected: (which: Which, ifName: string) => unknown;
  };
  /** A fault after a CHECK that passed, and the message of the next CHECK. */
  readonly fault: {
    readonly make: (place: Place, which: Which) => Promise<unknown>;
    readonly message: (ifName: string) => RegExp;
  };
  readonly prepare?: (lab: Lab) => Promise<unknown>;
  readonly needs?: keyof typeof needs;
  readonly options?: AttachOptions;
}

/** An interface plugin with leases from 10.<network>.0.0/24, or from 10.<network>.1.0/24. */
function creator(
  network: number,
  plugin: (which: Which) => Plugin,
  fault: PluginCase["fault"],
  more: Pick<PluginCase, "needs" | "prepare"> = {},
): PluginCase {
  return {
    role: "creator",
    plugin: (which) => ({ ...plugin(which), ipam: hostLocal(`10.${network}.${which}.0/24`) }),
    effect: {
      read: ({ lab, container, ifName }) => lab.kernel.addresses(container, ifName),
      expected: (which) => [`10.${network}.${which}.2/24`],
    },
    fault,
    ...more,
  };
}

/** A fault of creators: the interface loses its address. */
function addressLost(network: number): PluginCase["fault"] {
  return {
    make: ({ lab, container, ifName }, which) =>
      lab.ip(container, "address", "del", `10.${network}.${which}.2/24`, "dev", ifName),
    message: (ifName) => new RegExp(`^Failed to match addr \\S+ on interface ${ifName}$`),
  };
}

/** A fault: `ip link set` changes the interface. */
function changed(words: readonly string[], message: (ifName: string) => RegExp): PluginCase["fault"] {
  return { make: ({ lab, container, ifName }) => lab.ip(container, "link", "set", ifName, ...words), message };
}

/** A fault of creators: the interface has another MAC. */
const macChanged = changed(
  ["address", "02:00:00:00:00:99"],
  (ifName) => new RegExp(`nterface ${ifName} Mac \\S+ doesn't match container Mac: 02:00:00:00:00:99$`),
);

const rates = { ingressRate: 8_000_000, ingressBurst: 800_000, egressRate: 8_000_000, egressBurst: 800_000 };

/** The trial of each wrapped plugin, by its name. */
export const cases = {
  bridge: creator(10, (which) => ({ type: "bridge", bridge: `br${which}`, isGateway: true }), {
    make: async ({ lab, container, ifName }) =>
      lab.ip(undefined, "link", "set", await lab.kernel.hostVeth(container, ifName), "nomaster"),
    message: () => /^CNI veth created for bridge br[01] was not found$/,
  }),
  macvlan: creator(
    11,
    () => ({ type: "macvlan", master: "uplink0" }),
    changed(
      ["type", "macvlan", "mode", "private"],
      () => /^container macvlan mode private does not match expected value: bridge$/,
    ),
  ),
  ptp: creator(12, () => ({ type: "ptp", ipMasq: true }), macChanged),
  ipvlan: creator(13, () => ({ type: "ipvlan", master: "uplink0" }), addressLost(13), { needs: "ipvlan" }),
  vlan: creator(14, (which) => ({ type: "vlan", master: "uplink0", vlanId: 5 + which }), addressLost(14), {
    needs: "vlan",
  }),
  "host-device": creator(15, (which) => ({ type: "host-device", device: `card${which}` }), macChanged, {
    prepare: async (lab) => {
      for (const which of [0, 1]) {
        await lab.ip(undefined, "link", "add", `card${which}`, "type", "veth", "peer", "name", `wire${which}`);
      }
    },
  }),
  tap: creator(16, () => ({ type: "tap" }), addressLost(16)),
  dummy: creator(
    17,
    () => ({ type: "dummy" }),
    changed(["down"], (ifName) => new RegExp(`^Interface ${ifName} is down$`)),
    { needs: "dummy" },
  ),
  portmap: {
    role: "meta",
    options: {
      ports: [
        { hostPort: 8000, containerPort: 80, protocol: "tcp" },
        { hostPort: 8001, containerPort: 443, protocol: "tcp" },
      ],
    },
    plugin: () => ({ type: "portmap", capabilities: { portMappings: true } }),
    effect: {
      read: targets,
      expected: (which) => [8000, 8001].map((port) => `--dport ${port} -j DNAT --to-destination 10.10.${which}.2`),
    },
    fault: {
      make: async ({ lab }, which) => {
        const rule = (await lab.kernel.packetRules()).find((text) =>
          text.includes(`--to-destination 10.10.${which}.2:`),
        );
        await lab.run("iptables", ["--table", "nat", ...(rule ?? "").replace("-A", "-D").split(" ")]);
      },
      message: () => /^could not check ipv4 dnat: /,
    },
  },
  tuning: {
    role: "meta",
    plugin: (which) => ({ type: "tuning", mac: `02:00:5e:00:00:0${which}`, mtu: 1400 }),
    effect: {
      read: async ({ lab, container, ifName }) => {
        const { address, mtu } = await lab.kernel.link(container, ifName);
        const { interfaces = [] } = await lab.kernel.cachedResult("zone", container.name);
        return { address, mtu, reported: interfaces.find(({ name }) => name === ifName)?.mac };
      },
      expected: (which) => {
        const mac = `02:00:5e:00:00:0${which}`;
        return { address: mac, mtu: 1400, reported: mac };
      },
    },
    fault: changed(
      ["mtu", "1300"],
      (ifName) => new RegExp(`^Error: Tuning configured MTU of ${ifName} is 1400, current value is 1300$`),
    ),
  },
  bandwidth: {
    role: "meta",
    plugin: () => ({ type: "bandwidth", ...rates }),
    effect: {
      read: async ({ lab, container, ifName }) => {
        const veth = await lab.kernel.hostVeth(container, ifName);
        const qdiscs: { kind: string }[] = JSON.parse(await lab.run("tc", ["-json", "qdisc", "show", "dev", veth]));
        const { interfaces = [] } = await lab.kernel.cachedResult("zone", container.name);
        const names = interfaces.map(({ name }) => (name === veth ? "veth" : name.replace(/^(bwp)[0-9a-f]+$/, "$1")));
        return [qdiscs.map(({ kind }) => kind), names.slice(names.indexOf("veth"), names.indexOf(ifName) + 1)];
      },
      expected: (_, ifName) => [
        ["tbf", "ingress"],
        ["veth", "bwp", ifName],
      ],
    },
    fault: {
      make: async ({ lab, container, ifName }) => {
        const veth = await lab.kernel.hostVeth(container, ifName);
        const words = ["rate", "4mbit", "burst", "100kb", "latency", "25ms"];
        await lab.run("tc", ["qdisc", "replace", "dev", veth, "root", "tbf", ...words]);
      },
      message: () => /^Rate doesn't match$/,
    },
  },
  firewall: {
    role: "meta",
    plugin: () => ({ type: "firewall", backend: "iptables" }),
    effect: {
      read: async ({ lab, container, ifName }) => {
        const [address = ""] = await lab.kernel.addresses(container, ifName);
        const rules = await lab.kernel.packetRules();
        return rules.filter((rule) => rule.includes(` ${address.replace(/\/.*/, "/32")} `));
      },
      expected: (which) => [
        `-A CNI-FORWARD -d 10.10.${which}.2/32 -m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT`,
        `-A CNI-FORWARD -s 10.10.${which}.2/32 -j ACCEPT`,
      ],
    },
    fault: {
      make: ({ lab }, which) => lab.run("iptables", ["-D", "CNI-FORWARD", "-s", `10.10.${which}.2/32`, "-j", "ACCEPT"]),
      message: () => /^expected rule .* not found$/,
    },
  },
  sbr: {
    role: "meta",
    plugin: () => ({ type: "sbr" }),
    effect: {
      read: async (place) => {
        const table = await tableOf(place);
        const [own, main] = [await routes(place, table), await routes(place, "main")];
        return { own, main };
      },
      expected: (which) => ({
        own: [`default via 10.10.${which}.1`, `10.10.${which}.0/24 proto kernel scope link src 10.10.${which}.2`],
        main: [],
      }),
    },
    fault: {
      make: async (place, which) =>
        place.lab.ip(place.container, "route", "del", `10.10.${which}.0/24`, "table", await tableOf(place)),
      message: (ifName) =>
        new RegExp(`^routing of interface ${ifName} has changed.*10\\.10\\.[01]\\.0/24 table 10[01]`),
    },
  },
  vrf: {
    role: "meta",
    needs: "vrf",
    plugin: (which) => ({ type: "vrf", vrfname: `blue${which}` }),
    effect: {
      read: async ({ lab, container, ifName }) => (await lab.kernel.link(container, ifName)).master,
      expected: (which) => `blue${which}`,
    },
    // The wrapper looks for the routes first. They went with the interface.
    fault: changed(
      ["nomaster"],
      (ifName) => new RegExp(`^routing of interface ${ifName} has changed|failed to find ${ifName} associated`),
    ),
  },
} satisfies Record<string, PluginCase>;

/** The targets of the published ports that lead to the interface. */
async function targets({ lab, container, ifName }: Place): Promise<string[]> {
  const [address = ""] = await lab.kernel.addresses(container, ifName);
  const target = new RegExp(`--dport \\d+ -j DNAT --to-destination ${address.replace(/\/.*/, "")}\\b`);
  return (await lab.kernel.packetRules()).flatMap((rule) => target.exec(rule)?.[0] ?? []);
}

async function routes({ lab, container, ifName }: Place, table: string): Promise<string[]> {
  return linesOf(await lab.ip(container, "-4", "route", "show", "table", table, "dev", ifName));
}

/** The table that the rule for the interface's address leads to. */
async function tableOf({ lab, container, ifName }: Place): Promise<string> {
  const [address = ""] = await lab.kernel.addresses(container, ifName);
  const rules = await lab.ip(container, "-4", "rule");
  return new RegExp(`from ${address.replace(/\/.*/, "")} lookup (\\d+)`).exec(rules)?.[1] ?? "none";
}
