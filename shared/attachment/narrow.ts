import { CniError } from "../protocol/errors.ts";
import { indexProblem } from "../protocol/request.ts";
import type { CniResult, Interface, IpConfig, Route } from "../protocol/result.ts";
import { type Attachment, type AttachmentSelector, ownership } from "./attachments.ts";
import { subnetFinder } from "./subnet.ts";

/**
 * Narrows prevResult to one attachment, so that a delegate sees a chain in which it is alone. It keeps the attachment's
 * interfaces and addresses (re-indexed), all routes except those through another attachment's gateway, the DNS and unknown
 * keys. Code 7 if an index is outside the list. If prevResult has only this attachment, it is passed unchanged instead, because
 * some plugins accept it (sbr's getIPCfgs).
 */
export function narrowPrevResult(
  prevResult: CniResult,
  attachment: Attachment,
  selector: AttachmentSelector,
): CniResult {
  const problem = indexProblem(prevResult, "prevResult");
  if (problem !== undefined) {
    if (attachment.members.length === prevResult.interfaces?.length) return prevResult;
    throw new CniError("invalidPrevResult", problem);
  }
  const { ips, routes } = prevResult;
  const isOwn = ownership(prevResult, attachment, selector);
  const narrowed: Record<string, unknown> = { ...prevResult };
  if (ips) narrowed.ips = ips.filter(isOwn);
  if (routes?.some(({ gw }) => gw)) narrowed.routes = routes.filter(routeFilter(prevResult, isOwn));
  return arranged(narrowed, attachment.members);
}

/**
 * Returns a function that tells which routes an attachment sees: all but those whose gateway is only in another attachment's
 * subnet. `isOwn` tells which addresses are the attachment's.
 */
export function routeFilter(result: CniResult, isOwn: (ip: IpConfig) => boolean): (route: Route) => boolean {
  const ips = result.ips ?? [];
  const addressesOf = (owned: boolean) => () => ips.filter((ip) => isOwn(ip) === owned).map(({ address }) => address);
  const [isInOwn, isInOther] = [subnetFinder(addressesOf(true)), subnetFinder(addressesOf(false))];
  return ({ gw }) => !gw || isInOwn(gw) || !isInOther(gw);
}

/**
 * Returns the result with only the interfaces whose indexes are in `order`, in that order. Addresses of other interfaces are
 * dropped, the rest are re-indexed. An address without an index is unchanged.
 */
export function arranged(result: CniResult, order: readonly number[]): CniResult {
  const interfaces = result.interfaces ?? [];
  const kept: Interface[] = [];
  const places = new Map<number | null | undefined, number>();
  for (const index of order) {
    places.set(index, places.size);
    const entry = interfaces[index];
    if (entry !== undefined) kept.push(entry);
  }
  if (!result.ips) return { ...result, interfaces: kept };
  const ips: IpConfig[] = [];
  for (const ip of result.ips) {
    const place = places.get(ip.interface);
    if (place !== undefined) ips.push({ ...ip, interface: place });
    else if (typeof ip.interface !== "number") ips.push(ip);
  }
  return { ...result, interfaces: kept, ips };
}
