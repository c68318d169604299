import { sharedDeviceName } from "../../shared/plugin/profile.ts";
import { isNoBridge, type Link, linkNamed } from "../host/links.ts";
import type { FoundAt, PluginRule } from "../lint/rule.ts";
import { isRewritten, type ListedPlugin, masterOf } from "../lists/list.ts";

export const unsuitableDevice: PluginRule = {
  title: "The plugin cannot use this interface of the host as it is (`--host`).",
  page: `A card that is a port of a bridge or a bond gives its packets to that one only: macvlan and ipvlan on it fail (\`device or
resource busy\`). Name the bridge or the bond itself as \`master\`. macvlan and vlan refuse an \`mtu\` above the master's
(\`invalid MTU 9000, must be [0, master MTU(1500)]\`). A \`master\` that is down carries nothing, and the plugin does not set it
up. bridge refuses a \`bridge\` that is another kind of interface (\`"ens18" already exists but is not a bridge\`): \`bridge\`
is the name of a new device, and not the card to which containers are connected.`,
  findInPlugin(plugin, _, { links }) {
    if (!links || isRewritten(plugin)) return undefined;
    if (plugin.delegate === "bridge") return bridgeProblem(plugin, links);
    const link = linkNamed(masterOf(plugin), links);
    return link && (portProblem(plugin, link) ?? mtuProblem(plugin, link) ?? downProblem(link));
  },
};

function bridgeProblem({ profile, configuration }: ListedPlugin, links: readonly Link[]): FoundAt | undefined {
  const name = sharedDeviceName(profile, configuration);
  const link = links.find(({ ifname }) => ifname === name);
  if (!link || !isNoBridge(link)) return undefined;
  const names = Array.from({ length: links.length + 1 }, (_, index) => `cni${index}`);
  const free = names.find((one) => !linkNamed(one, links));
  return {
    at: [configuration.bridge === undefined ? "type" : "bridge"],
    message: `${name} is no bridge on this host: ADD fails`,
    hint: `Use a name that no interface of the host has, such as ${free}: the plugin makes the bridge`,
  };
}

/** The kinds of devices that take all packets of their ports (netdev_rx_handler_register of the kernel). */
const takers: readonly (string | undefined)[] = ["bridge", "bond", "team"];

function portProblem({ delegate }: ListedPlugin, { ifname, master, linkinfo }: Link): FoundAt | undefined {
  if (delegate === "vlan" || !takers.includes(linkinfo?.info_slave_kind)) return undefined;
  const message = `${ifname} is a port of ${master}, so ${delegate} cannot use it: ADD fails`;
  return { at: ["master"], message, hint: `Use ${master} as master, or another interface` };
}

function mtuProblem({ delegate, configuration }: ListedPlugin, { ifname, mtu }: Link): FoundAt | undefined {
  const own = configuration.mtu;
  if (delegate === "ipvlan" || typeof own !== "number" || mtu === undefined || own <= mtu) return undefined;
  const message = `the mtu is ${own}, and ${ifname} of this host has ${mtu}: ADD fails`;
  return { at: ["mtu"], message, hint: `Use at most ${mtu}, or run: ip link set ${ifname} mtu ${own}` };
}

function downProblem({ ifname, flags }: Link): FoundAt | undefined {
  if (!flags || flags.includes("UP")) return undefined;
  const message = `${ifname} is down on this host, so containers reach nothing through it`;
  return { at: ["master"], message, hint: `Run: ip link set ${ifname} up` };
}
