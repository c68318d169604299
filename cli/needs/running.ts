import { addressesIn } from "../../shared/delegate/taken-addresses.ts";
import { readFile } from "../../shared/host/node/files.ts";
import { objectsOf } from "../../shared/protocol/json.ts";
import { addressesOf, type Link } from "../host/links.ts";
import { hasProgram } from "../host/programs.ts";
import { addressText, type Cidr, cidrOf, contains } from "../lists/addresses.ts";
import { gatewaysIn } from "../lists/gateways.ts";
import { creatorsOf, type List, type ListedPlugin } from "../lists/list.ts";
import { addressesAt, type CachedAttachment, interfaceNames } from "../live/cached-results.ts";
import { chainName, masqueradeName } from "../prune/known.ts";
import { readRules } from "../prune/read-rules.ts";

/** The host's links. `note` gets a line about what cannot be looked at. */
export interface HostLinks {
  readonly links: readonly Link[];
  readonly note: (line: string) => void;
}

/** What running containers need of the host and have lost: CHECK does not look at it, and each ADD makes it again. */
export function lostSince(
  list: List,
  attachments: readonly CachedAttachment[],
  { links, note }: HostLinks,
): readonly string[] {
  const addresses = attachments.flatMap(({ result }) => addressesIn(result)).map(cidrOf);
  // CHECK says if the bridge is not there.
  const bridges = gatewaysIn(list).flatMap((gateway) => {
    const link = links.find(({ ifname }) => ifname === gateway.key);
    return link && addresses.some((one) => contains(gateway.cidr, one)) ? { ...gateway, link } : [];
  });
  return [
    ...bridges.flatMap(({ cidr, link }) => [...bridgeProblem(cidr, link), ...forwardingProblem(cidr)]),
    ...creatorsOf(list).flatMap((plugin) => [
      ...masqueradingProblem(plugin, list, attachments, { links, note }),
      ...sharedAddresses(plugin, attachments),
    ]),
  ];
}

function bridgeProblem(cidr: Cidr, link: Link): readonly string[] {
  const bridge = link.ifname;
  if (link.flags && !link.flags.includes("UP"))
    return [`${bridge} is down, and its containers reach nothing. Run: ip link set ${bridge} up`];
  const gateway = `${addressText(cidr)}/${cidr.length}`;
  const own = addressesOf(link).map(cidrOf);
  const isThere = own.some((one) => one?.value === cidr.value && one.bits === cidr.bits);
  return isThere
    ? []
    : [`${bridge} has lost ${gateway}, the gateway of its containers. Run: ip address add ${gateway} dev ${bridge}`];
}

/** A list with an address of its own (static, or IP= in CNI_ARGS) is for one container at a time. Its ADD does not look. */
function sharedAddresses(plugin: ListedPlugin, attachments: readonly CachedAttachment[]): readonly string[] {
  if (!/^(?:bridge|macvlan|ipvlan)$/.test(plugin.delegate)) return [];
  const held = attachments.flatMap((one) => {
    const ifName = plugin.isRenamed ? plugin.ifName : one.runtimeIfName;
    return addressesAt(one, ifName).map((address) => ({ address, containerId: one.containerId }));
  });
  return [...Map.groupBy(held, ({ address }) => address)].flatMap(([address, holders]) => {
    const [first, ...others] = new Set(holders.map(({ containerId }) => containerId));
    // An address for one host only can be a service's, which several containers have.
    const cidr = cidrOf(address);
    if (others.length === 0 || cidr?.length === cidr?.bits) return [];
    return [`${first} and ${others.join(", ")} have one address, ${address} (${plugin.type}): stop all but one`];
  });
}

const forwarding = { 32: "net.ipv4.ip_forward", 128: "net.ipv6.conf.all.forwarding" } as const;

function forwardingProblem({ bits }: Cidr): readonly string[] {
  const name = forwarding[bits];
  const value = readFile(`/proc/sys/${name.replaceAll(".", "/")}`)?.trim();
  return value === "0"
    ? [
        `${name} is 0, and containers reach only this host. Run: sysctl -w ${name}=1, and remove what sets it to 0 (/etc/sysctl.d)`,
      ]
    : [];
}

function masqueradingProblem(
  plugin: ListedPlugin,
  list: List,
  attachments: readonly CachedAttachment[],
  { links, note }: HostLinks,
): readonly string[] {
  const { profile, configuration, type } = plugin;
  const users = attachments.filter((one) => hadMasquerading(one, plugin));
  if (!profile?.masquerades || configuration.ipMasq !== true || users.length === 0) return [];
  const isReadable = hasProgram(configuration.ipMasqBackend === "nftables" ? "nft" : "iptables-save");
  const { things, problems } = isReadable ? readRules(links) : { things: [], problems: ["no program shows them"] };
  if (problems.length > 0) {
    note(`the packet rules of ${type} in ${list.file.path}: ${problems[0]}`);
    return [];
  }
  const present = new Set(things.map(({ name }) => name));
  const lost = users.filter((one) => !namesOf(one, plugin, list).some((name) => present.has(name)));
  if (lost.length === 0) return [];
  const ids = lost.map(({ containerId }) => containerId);
  const named = `${ids.slice(0, mostNamed).join(", ")}${ids.length > mostNamed ? ", ..." : ""}`;
  return [
    `the rules of ipMasq (${type}) are gone for ${ids.length} of ${users.length} containers: ${named}. Only ADD makes them: replace the containers`,
  ];
}

const mostNamed = 5;

/** Whether the list asked for it when the container was attached, and the interface has an address. */
function hadMasquerading(attachment: CachedAttachment, { type, ifName, isRenamed }: ListedPlugin): boolean {
  const own = isRenamed ? ifName : attachment.runtimeIfName;
  const plugins = objectsOf(attachment.list?.plugins);
  const isAsked = plugins.some((one) => one.type === type && one.ipMasq === true);
  return isAsked && interfaceNames(attachment).includes(own) && addressesIn(attachment.result).length > 0;
}

/** The names of the rules, in each place where they may be: a script's containers have them under the list's own name. */
function namesOf({ containerId, runtimeIfName }: CachedAttachment, plugin: ListedPlugin, { name = "" }: List) {
  const own = plugin.isRenamed ? plugin.ifName : runtimeIfName;
  return [plugin.network, name].flatMap((network) => [
    chainName("", network, containerId),
    masqueradeName(network, own, containerId),
  ]);
}
