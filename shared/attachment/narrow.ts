import { CniError } from "../protocol/errors.ts";
import { indexProblem } from "../protocol/request.ts";
import type { CniResult, IpConfig, Route } from "../protocol/result.ts";
import { arranged } from "./arrange.ts";
import { type Attachment, type AttachmentSelector, ownership } from "./attachments.ts";
import { subnetFinder } from "./subnet.ts";

/**
 * The prevResult that a delegate is shown: narrowed to its attachment. If an index is outside the list, prevResult passes as it
 * came where it has nothing but the attachment, because some plugins accept that (sbr's getIPCfgs); else it is code 7.
 */
export function shownResult(prevResult: CniResult, attachment: Attachment, selector: AttachmentSelector): CniResult {
  const problem = indexProblem(prevResult, "prevResult");
  if (problem === undefined) return narrowResult(prevResult, attachment, selector);
  if (attachment.members.length === prevResult.interfaces?.length) return prevResult;
  throw new CniError("invalidPrevResult", problem);
}

/**
 * Narrows a result to one attachment, so that a delegate sees a chain in which it is alone: that attachment's interfaces and
 * addresses (re-indexed), every route but those through another attachment's gateway, the DNS whole, unknown keys kept.
 */
export function narrowResult(result: CniResult, attachment: Attachment, selector: AttachmentSelector): CniResult {
  const narrowed: Record<string, unknown> = { ...result };
  if (result.ips) narrowed.ips = result.ips.filter(ownership(result, attachment, selector));
  if (result.routes) narrowed.routes = result.routes.filter(routeFilter(result, attachment, selector));
  return arranged(narrowed, attachment.members);
}

/** Tells which routes of a result an attachment is shown: all but those whose gateway lies in another's subnet only. */
export function routeFilter(
  result: CniResult,
  attachment: Attachment,
  selector: AttachmentSelector,
): (route: Route) => boolean {
  const isOwn = ownership(result, attachment, selector);
  const ips = result.ips ?? [];
  const subnetsOf = subnetFinder(ips.map(({ address }) => address));
  return ({ gw }) => {
    const reachedBy = gw ? subnetsOf(gw) : [];
    return reachedBy.length === 0 || reachedBy.some((index) => isOwn(ips[index] as IpConfig));
  };
}
