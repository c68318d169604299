import { interfacesOf } from "./life.ts";
import type { Lists } from "./lists.ts";
import type { Random } from "./random.ts";
import type { ListedPlugin } from "./runtime.ts";

const creators = [..."1234"].flatMap(() => ["bridge", "bridge", "macvlan", "ptp", "ipvlan"]).concat("twin", "flannel");
const withHostEnd = ["bridge", "ptp", "flannel"];

/** Returns lists that share interface names, pools and kinds of plugins, and two or three attachments of each container. */
export function randomLists(random: Random): { lists: Lists; attachments: string[] } {
  const names = ["za", "zb", "zc"].slice(0, 1 + random.below(3));
  // Each schedule has a few kinds of plugins, so that they come together more often.
  const kinds = {
    creators: [random.of(creators), random.of(creators)],
    chained: [0, 1, 2, 3, 4, 5, 6].filter(() => random.once(2)),
  };
  const lists = Object.fromEntries(names.map((name, index) => [name, randomList(random, kinds, 10 * (index + 1))]));
  if (random.once(4)) lists.zc = [{ type: "macvlan", ipam: { type: "host-local", subnet: "10.40.0.0/24" } }];
  const attachments = ["c1", "c2", "c3"].flatMap((container) =>
    ["eth0", ...["net1", "eth1"].filter(() => random.once(2))].map(
      (ifName) => `${container} ${random.of(Object.keys(lists))} ${ifName}`,
    ),
  );
  return { lists, attachments: attachments.filter((key) => isPossible(lists, attachments, key)) };
}

/** A list cannot give one interface name twice. flannel keeps one thing for a container, and confuses two. */
function isPossible(lists: Lists, attachments: readonly string[], key: string): boolean {
  const [container = "", list = "", ifName = ""] = key.split(" ");
  const plugins = lists[list] ?? [];
  const own = interfacesOf(plugins, { container, list, ifName });
  const before = attachments.slice(0, attachments.indexOf(key)).filter((one) => one.startsWith(`${container} `));
  const has = (type: string, plugins: Lists[string] = []) =>
    plugins.some((plugin) => plugin.type === `${type}-wrapper`);
  const isSecond = (one: string) => {
    const [, other = ""] = one.split(" ");
    return has("flannel", plugins) && has("flannel", lists[other]);
  };
  return new Set(own).size === own.length && !before.some(isSecond);
}

/** The kinds of plugins in a schedule. */
interface Kinds {
  readonly creators: readonly string[];
  readonly chained: readonly number[];
}

function randomList(random: Random, kinds: Kinds, subnet: number): ListedPlugin[] {
  const ifNames = [undefined, "eth1", "eth2"].filter((_, index) => index === 0 || random.once(2));
  const types = ifNames
    .map(() => random.of(kinds.creators))
    .map((type, index, all) => (type === "flannel" && all.indexOf(type) !== index ? "bridge" : type));
  const own = ifNames.map((ifName, index) => randomCreator(random, String(types[index]), subnet + index, ifName));
  const chained = own.flatMap((creator) => chainedBehind(random, kinds, creator));
  const first = random.once(8) ? [{ type: "loopback" }] : [];
  const last = kinds.chained.includes(6) && random.once(2) ? [{ type: "mark-wrapper" }] : [];
  return [...first, ...own, ...chained, ...last];
}

function randomCreator(random: Random, type: string, subnet: number, ifName: string | undefined): ListedPlugin {
  // A pool is one subnet, in whatever list.
  const hasPool = random.once(4);
  const hasDhcp = type !== "flannel" && random.once(8);
  const range = `10.${hasPool ? (hasDhcp ? 98 : 99) : subnet}.0.0/24`;
  const wrapper = {
    ...(ifName && { ifName }),
    ...(hasPool && { network: hasDhcp ? "dhcp" : "disc" }),
    ...(["twin", "flannel"].includes(type) && { role: "creator" }),
  };
  const ipam = { type: hasDhcp ? "dhcp" : "host-local", subnet: range };
  // DHCP's addresses are in no file: after a kill, nobody can tell the rules for them. Attachments that share a chain are in
  // the scenarios.
  const mayMasquerade = ["bridge", "ptp"].includes(type) && ifName !== undefined && !hasPool && !hasDhcp;
  const masquerades = mayMasquerade && random.once(2) ? { ipMasq: true } : {};
  // CHECK of an ipvlan without a master fails.
  const card = type === "ipvlan" ? { master: "ens18" } : {};
  return type === "flannel"
    ? { type: "flannel-wrapper", wrapper, subnet: range }
    : { type: `${type}-wrapper`, wrapper, ipam, ...masquerades, ...card };
}

/** Returns the chained plugins for an interface. */
function chainedBehind(random: Random, kinds: Kinds, { type, wrapper }: ListedPlugin): ListedPlugin[] {
  const { ifName } = wrapper as { ifName?: string };
  const own = { wrapper: { ...(ifName && { ifName }) } };
  const port = { eth1: 81, eth2: 82 }[ifName ?? ""] ?? 80;
  const all: ListedPlugin[] = [
    {
      type: "portmap-wrapper",
      wrapper: { ...own.wrapper, ports: { only: [port] } },
      backend: random.of(["iptables", "nftables"]),
      capabilities: { portMappings: true },
    },
    { type: "tuning-wrapper", ...own, mtu: 1400 },
    { type: "tuning-wrapper", ...own, allmulti: true },
    { type: "firewall-wrapper", ...own },
    { type: "sbr-wrapper", ...own },
    ...(withHostEnd.some((one) => type.startsWith(one)) ? [{ type: "bandwidth-wrapper", ...own }] : []),
  ];
  return all.filter((_, index) => kinds.chained.includes(index) && random.once(2));
}
