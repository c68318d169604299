import type { CachedAttachment } from "../live/cached-results.ts";
import { type CheckOptions, checkOnHost, networkOf } from "../preflight/check.ts";
import { isClaimed } from "./claimed.ts";
import { readFacts } from "./facts.ts";
import { hostSide } from "./host-side.ts";
import type { Evidence } from "./proposal.ts";

/** Returns what a proposal for an attachment is made from on this host. `all` are the attachments of every network. */
export function evidenceOn(
  attachment: CachedAttachment,
  all: readonly CachedAttachment[],
  check: CheckOptions,
): Evidence {
  return {
    network: networkOf(attachment, check),
    readFacts: () => readFacts(attachment.netns),
    hostSide,
    isClaimed: (name) => isClaimed(name, attachment, all),
    check: (one) => checkOnHost(one, check),
  };
}
