import type { CniResult } from "../../shared/protocol/result.ts";
import type { ContainerLinks } from "../host/links.ts";
import type { CachedAttachment } from "../live/cached-results.ts";
import type { Verdict } from "../live/check.ts";
import type { Network } from "../live/networks.ts";
import { completeResult, type HostSide } from "./complete-result.ts";
import { type MissingJournal, missingJournal } from "./journal.ts";

/** What `adopt` would do about an attachment. */
export type Proposal =
  /** CHECK passes already. */
  | { readonly is: "fine" }
  /** The namespace is gone, or the runtime runs no CHECK. */
  | { readonly is: "unchecked" }
  /** CHECK passes with this result. */
  | { readonly is: "adoptable"; readonly result: CniResult; readonly journal: MissingJournal | undefined }
  /** CHECK fails, and no result makes it pass. `error` is CHECK's. */
  | { readonly is: "lost"; readonly error: string };

/** What a proposal is made from. */
export interface Evidence {
  readonly network: Network | undefined;
  /** Reads the links. It is called only if CHECK fails. */
  readonly readLinks: () => Promise<ContainerLinks | undefined>;
  readonly hostSide: HostSide;
  /** Whether another attachment has the interface of this name. It would lose it with this one's DEL. */
  readonly isClaimed: (name: string) => boolean;
  /** Runs CHECK on an attachment, with the result in it. */
  readonly check: (attachment: CachedAttachment) => Promise<Verdict>;
}

/** Finds a result with which the CHECK of a live attachment passes. Only a result that passed CHECK is proposed. */
export async function proposalFor(attachment: CachedAttachment, evidence: Evidence): Promise<Proposal> {
  return proposalAfter(await evidence.check(attachment), attachment, evidence);
}

/** The same after a CHECK of the attachment that had this verdict. */
export async function proposalAfter(
  verdict: Verdict,
  attachment: CachedAttachment,
  evidence: Evidence,
): Promise<Proposal> {
  if (verdict.is === "passes") return { is: "fine" };
  if (verdict.is !== "fails") return { is: "unchecked" };
  const lost = { is: "lost", error: verdict.error } as const;
  const { network, readLinks, hostSide, isClaimed, check } = evidence;
  const links = network && attachment.result && (await readLinks());
  if (!network || !attachment.result || !links) return lost;
  const creators = network.list.plugins.filter(({ role, ifName }) => role === "creator" && !isClaimed(ifName));
  const result = completeResult(attachment.result, { netns: attachment.netns, creators, links, hostSide });
  if (!result) return lost;
  const again = await check({ ...attachment, result });
  if (again.is !== "passes") return lost;
  return { is: "adoptable", result, journal: missingJournal(attachment, creators, links) };
}
