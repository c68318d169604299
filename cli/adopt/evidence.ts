import { readContainerLinks } from "../host/links.ts";
import type { CachedAttachment } from "../live/cached-results.ts";
import { type CheckOptions, checkOnHost, networkOf } from "../live/check.ts";
import { isClaimed } from "./claimed.ts";
import { hostSide } from "./host-side.ts";
import { leasedAddresses } from "./journal.ts";
import { withoutForeignAddresses } from "./own-addresses.ts";
import type { Evidence } from "./proposal.ts";

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
