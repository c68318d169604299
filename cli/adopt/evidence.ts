import { type ContainerLinks, readContainerLinks } from "../host/links.ts";
import { type CachedAttachment, interfaceNames } from "../live/cached-results.ts";
import { type CheckOptions, checkOnHost, networkOf } from "../live/check.ts";
import { namespacePath } from "../live/namespaces.ts";
import { type IsOwnAddress, readOwnAddresses } from "./own-addresses.ts";
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
      isOwn ??= readOwnAddresses(
        all,
        [...check.networks.values()].map(({ list }) => list),
      );
      return links && withoutForeignAddresses(links, attachment, isOwn);
    },
    isClaimed: (name) => isClaimed(name, attachment, all),
    check: (one) => checkOnHost(one, check),
  });
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

/** Leaves out the addresses that no plugin gave. A result that names them fails CHECK when they move to another container. */
function withoutForeignAddresses(
  links: ContainerLinks,
  attachment: CachedAttachment,
  isOwn: IsOwnAddress,
): ContainerLinks {
  const inside = links.inside.map((link) => {
    return { ...link, addr_info: (link.addr_info ?? []).filter(({ local }) => isOwn(local, attachment, link.ifname)) };
  });
  return { ...links, inside };
}
