import { delimiter } from "node:path";
import { ipName } from "../../shared/attachment/subnet.ts";
import { addressesIn } from "../../shared/delegate/taken-addresses.ts";
import { type ContainerLinks, readContainerLinks } from "../host/links.ts";
import { keyOf, Memory } from "../host/memory.ts";
import { readPluginFolder } from "../host/read-plugin-folder.ts";
import { ipamTypeOf } from "../lists/ipam.ts";
import type { ListedPlugin } from "../lists/list.ts";
import { type CachedAttachment, interfaceNames } from "../live/cached-results.ts";
import { type CheckOptions, checkOnHost, networkOf } from "../live/check.ts";
import { namespacePath, pathStateAt } from "../live/namespaces.ts";
import { leaseDirectories } from "../prune/read-leases.ts";
import type { Evidence } from "./proposal.ts";

/** Returns a function that tells what a proposal for an attachment is made from on this host. `all` are those of every network. */
export function evidenceOn(
  all: readonly CachedAttachment[],
  check: CheckOptions,
): (attachment: CachedAttachment) => Evidence {
  // Most hosts have nothing to adopt. Then nobody needs the addresses.
  let isOwn: IsOwnAddress | undefined;
  return (attachment) => ({
    network: networkOf(attachment, check),
    readLinks: async () => {
      const links = await readContainerLinks(attachment.netns);
      isOwn ??= readOwnAddresses(all, check);
      return links && withoutForeignAddresses(links, attachment, isOwn);
    },
    isClaimed: (name) => isClaimed(name, attachment, all),
    check: (one) => checkOnHost(one, check),
  });
}

/** Returns a function that tells whether CHECK can be asked about a live attachment: its list, namespace and plugins are there. */
export function askableOn(check: CheckOptions, directory: string): (attachment: CachedAttachment) => boolean {
  const plugins = readPluginFolder(check.cniPath.join(delimiter), directory);
  const isThere = ({ type, delegate, isWrapped, configuration }: ListedPlugin) => {
    const [found, ipam] = [plugins.find(type), ipamTypeOf(configuration)];
    if (!found || (ipam !== undefined && !plugins.find(ipam))) return false;
    return !isWrapped || plugins.findDelegate(delegate, found) !== undefined;
  };
  return (attachment) =>
    pathStateAt(attachment.netns) !== "gone" && (networkOf(attachment, check)?.list.plugins.every(isThere) ?? false);
}

/** Whether another attachment to the same namespace has an interface of this name. */
export function isClaimed(
  name: string,
  { file, netns }: Pick<CachedAttachment, "file" | "netns">,
  attachments: readonly CachedAttachment[],
): boolean {
  // guard: an interface that a sibling's result has
  const others = attachments.filter((one) => one.file !== file && namespacePath(one.netns) === namespacePath(netns));
  // guard: an interface that a sibling's result has
  return others.some((one) => one.runtimeIfName === name || interfaceNames(one).includes(name));
}

/** Leaves out the addresses that no plugin gave. A result that names them fails CHECK when they move to another container. */
function withoutForeignAddresses(
  links: ContainerLinks,
  attachment: CachedAttachment,
  isOwn: IsOwnAddress,
): ContainerLinks {
  const inside = links.inside.map((link) => {
    // guard: an address that no lease gave
    return { ...link, addr_info: (link.addr_info ?? []).filter(({ local }) => isOwn(local, attachment, link.ifname)) };
  });
  return { ...links, inside };
}

/** Whether an address is the one of an attachment's interface. */
type IsOwnAddress = (address: string, attachment: CachedAttachment, ifName: string) => boolean;

/**
 * Reads who names which address. An interface's own are those of its leases that no other lease, journal or result names: a
 * container can add any other address to its interface, and DEL removes the packet rules of every address in a result.
 */
function readOwnAddresses(results: readonly CachedAttachment[], { networks }: CheckOptions): IsOwnAddress {
  const memory = new Memory();
  const holders = new Map<string | undefined, Set<string>>();
  const add = (addresses: readonly string[], holder: string) => {
    for (const name of addresses.map(ipName)) holders.set(name, (holders.get(name) ?? new Set()).add(holder));
  };
  const folders = memory.leaseFolders(leaseDirectories([...networks.values()].map(({ list }) => list)));
  for (const { address, containerId, ifName } of folders.flatMap((folder) => memory.leases(folder)))
    add([address], leaseOf(containerId, ifName));
  for (const { key, entries } of memory.journals())
    for (const { isUndone, done, configuration } of entries)
      if (!isUndone) add([...(done?.addresses ?? []), ...addressesIn(configuration.prevResult)], keyOf(key)); // guard: an address that a journal names
  for (const { key, result } of memory.allResults()) add(addressesIn(result), keyOf(key));
  for (const one of results) add(addressesIn(one.result), keyOf(one));
  return (address, attachment, ifName) => {
    const lease = leaseOf(attachment.containerId, ifName);
    const found = [...(holders.get(ipName(address)) ?? [])];
    // guard: an address that is another attachment's, too
    return found.includes(lease) && found.every((holder) => holder === lease || holder === keyOf(attachment));
  };
}

function leaseOf(containerId: string, ifName: string): string {
  return `lease ${containerId} ${ifName}`;
}
