import { type ContainerLinks, type LinkAddress, readContainerLinks } from "../host/links.ts";
import type { ListedPlugin } from "../lists/list.ts";
import { deviceName, reportedBy } from "../lists/reported.ts";
import { type CachedAttachment, interfaceNames } from "../live/cached-results.ts";
import { type CheckOptions, checkOnHost, networkOf } from "../live/check.ts";
import { namespacePath } from "../live/namespaces.ts";
import { leasedAddresses } from "./journal.ts";
import type { Evidence, HostSide } from "./proposal.ts";

/** Returns what a proposal for an attachment is made from on this host. `all` are the attachments of every network. */
export function evidenceOn(
  attachment: CachedAttachment,
  all: readonly CachedAttachment[],
  check: CheckOptions,
): Evidence {
  const network = networkOf(attachment, check);
  const creators = (network?.list.plugins ?? []).filter(({ role }) => role === "creator");
  return {
    network,
    readLinks: async () => {
      const links = await readContainerLinks(attachment.netns);
      return links && withoutForeignAddresses(links, creators, (creator) => leasedAddresses(attachment, creator));
    },
    hostSide,
    isClaimed: (name) => isClaimed(name, attachment, all),
    check: (one) => checkOnHost(one, check),
  };
}

/** Whether another attachment to the same namespace has an interface of this name. */
export function isClaimed(
  name: string,
  { file, netns }: Pick<CachedAttachment, "file" | "netns">,
  attachments: readonly CachedAttachment[],
): boolean {
  const others = attachments.filter((one) => one.file !== file && namespacePath(one.netns) === namespacePath(netns));
  return others.some((one) => one.runtimeIfName === name || interfaceNames(one).includes(name));
}

/** Returns the host-side devices that a creator reports: a named one, or the other end of the container's veth. */
const hostSide: HostSide = ({ delegate, configuration }) => {
  return (reportedBy(delegate).hostSide ?? []).map((device) => {
    const name = deviceName(device, configuration);
    return name === undefined ? { peer: true } : { name };
  });
};

/**
 * Leaves out the addresses that no plugin gave: the kernel's own, and those that a container added to an interface with a lease.
 * A result that names them fails CHECK when they move to another container.
 */
function withoutForeignAddresses(
  links: ContainerLinks,
  creators: readonly ListedPlugin[],
  leasedAddresses: (creator: ListedPlugin) => readonly string[],
): ContainerLinks {
  const inside = links.inside.map((link) => {
    const creator = creators.find(({ ifName }) => ifName === link.ifname);
    const leased = creator ? leasedAddresses(creator) : [];
    const isOwn = ({ local, dynamic }: LinkAddress) => !dynamic && (leased.length === 0 || leased.includes(local));
    return { ...link, addr_info: (link.addr_info ?? []).filter(isOwn) };
  });
  return { ...links, inside };
}
