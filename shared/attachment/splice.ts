import { canonicalJson } from "../protocol/json.ts";
import { type CniResult, type Dns, type Interface, type IpConfig, isContainerInterface } from "../protocol/result.ts";
import {
  type Attachment,
  type AttachmentSelector,
  attachmentsOf,
  findAttachment,
  type ListedAttachment,
  ownership,
} from "./attachments.ts";
import { arranged, routeFilter } from "./narrow.ts";
import { ipName, isLinkLocal } from "./subnet.ts";

/**
 * Puts a result in order: each attachment's host-side interfaces before its container interface. Host-side interfaces after
 * the last container interface are moved before it. If nothing changes, the same object is returned.
 */
export function orderResult(result: CniResult): CniResult {
  const interfaces = result.interfaces ?? [];
  const last = attachmentsOf(interfaces).at(-1);
  if (last === undefined || last.container === interfaces.length - 1) return result;
  const others = [...interfaces.keys()].filter((index) => index !== last.container);
  return arranged(result, [...others, last.container]);
}

/**
 * Completes a creator's result for a chain. If it has no container interface, it gets one with all addresses. Each address
 * gets an index, and the interfaces get the right order.
 */
export function completeResult(result: CniResult, { ifName, netns }: AttachmentSelector): CniResult {
  const interfaces = result.interfaces ?? [];
  if (interfaces.some(isContainerInterface)) {
    const attachment = findAttachment(result, ifName, netns) ?? attachmentsOf(interfaces)[0];
    return orderResult(indexed(result, attachment));
  }
  const ips = result.ips?.map((ip) => ({ ...ip, interface: interfaces.length }));
  return { ...result, ...(ips && { ips }), interfaces: [...interfaces, { name: ifName, sandbox: netns }] };
}

/**
 * Appends a creator's result to prevResult: interfaces, addresses (re-indexed), routes (an identical one once), DNS (the
 * first value wins). `lo` is dropped from prevResult, as a plain creator drops it. A plugin that merges prevResult itself has
 * already returned the whole result.
 */
export function spliceCreator(
  prevResult: CniResult,
  delegateResult: CniResult,
  selector: AttachmentSelector,
): CniResult {
  if (carriesOver(prevResult, delegateResult)) return withoutLoopback(completeResult(delegateResult, selector));
  const runtimes = findAttachment(prevResult, selector.runtimeIfName, selector.netns);
  const isNobodys = (prevResult.ips ?? []).some((ip) => ip.interface === runtimes?.container);
  const before = withoutLoopback(orderResult(isNobodys ? prevResult : indexed(prevResult, runtimes)));
  const added = completeResult(delegateResult, selector);
  const offset = before.interfaces?.length ?? 0;
  const merged: Record<string, unknown> = { ...added, ...before };
  merged.interfaces = [...(before.interfaces ?? []), ...(added.interfaces ?? [])];
  const moved = added.ips?.map((ip) => reindexed(ip, (index) => index + offset));
  if (moved) merged.ips = [...(before.ips ?? []), ...moved];
  if (added.routes) merged.routes = union(before.routes ?? [], added.routes);
  if (added.dns) merged.dns = before.dns ? joinedDns(before.dns, added.dns) : added.dns;
  return merged;
}

/** An attachment of prevResult. */
interface Place {
  readonly prevResult: CniResult;
  readonly attachment: Attachment;
  readonly selector: AttachmentSelector;
}

/** Replaces one attachment of prevResult with what a chained plugin returned for the narrowed prevResult. */
export function spliceMeta({ prevResult, attachment, selector }: Place, delegateResult: CniResult): CniResult {
  const { interfaces: all, ips, routes, dns: _replaced, ...unknown } = prevResult;
  const interfaces = all ?? [];
  const own = orderResult(indexed(delegateResult, findAttachment(delegateResult, selector.ifName, selector.netns)));
  // The members are adjacent, so one range of the list replaces another.
  const start = attachment.members[0] ?? 0;
  const end = start + attachment.members.length;
  const ownInterfaces = own.interfaces ?? [];
  const shift = ownInterfaces.length - attachment.members.length;

  const isOwn = ownership(prevResult, attachment, selector);
  const others = (ips ?? [])
    .filter((ip) => !isOwn(ip))
    .map((ip) => reindexed(ip, (index) => (index < end ? index : index + shift)));
  const first = (ips ?? []).findIndex(isOwn);
  const place = first < 0 ? others.length : first;
  const returned = (own.ips ?? []).map((ip) => reindexed(ip, (index) => index + start));

  const isShown = routeFilter(prevResult, isOwn);
  const hidden = (routes ?? []).filter((route) => !isShown(route));

  const merged: Record<string, unknown> = { ...unknown, ...own };
  merged.interfaces = [...interfaces.slice(0, start), ...ownInterfaces, ...interfaces.slice(end)];
  if (ips || own.ips) merged.ips = [...others.slice(0, place), ...returned, ...others.slice(place)];
  if (hidden.length > 0) merged.routes = [...(own.routes ?? []), ...hidden];
  return orderResult(merged);
}

// Host-side interfaces alone prove nothing: two results may begin with the same bridge.
function carriesOver({ interfaces, ips }: CniResult, { interfaces: returned, ips: returnedIps }: CniResult): boolean {
  const before = interfaces ?? [];
  const isReturned = ({ name, sandbox }: Interface, index: number) =>
    name === returned?.[index]?.name && sandbox === returned[index].sandbox;
  if (!before.some(isContainerInterface) || !before.every(isReturned)) return false;
  const addresses = new Set((returnedIps ?? []).map(({ address }) => address));
  return (ips ?? []).every(({ address }) => addresses.has(address));
}

/** Returns the address with its index moved. An address without an index is unchanged. */
function reindexed(ip: IpConfig, move: (index: number) => number): IpConfig {
  return typeof ip.interface === "number" ? { ...ip, interface: move(ip.interface) } : ip;
}

/** Returns the result with the attachment's index on each address that has none. Without an attachment it is unchanged. */
function indexed(result: CniResult, attachment: ListedAttachment | undefined): CniResult {
  if (attachment === undefined || !result.ips) return result;
  const ips = result.ips.map((ip) =>
    typeof ip.interface === "number" ? ip : { ...ip, interface: attachment.container },
  );
  return { ...result, ips };
}

function withoutLoopback(result: CniResult): CniResult {
  const interfaces = result.interfaces ?? [];
  const isLoopback = (one: Interface | undefined) => one?.name === "lo" && isContainerInterface(one);
  if (!interfaces.some(isLoopback)) return result;
  const others = [...interfaces.keys()].filter((index) => !isLoopback(interfaces[index]));
  return arranged(result, others);
}

function joinedDns(first: Dns, second: Dns): Dns {
  const joined: Record<string, unknown> = {
    ...second,
    ...first,
    ...(first.domain || !second.domain ? {} : { domain: second.domain }),
  };
  for (const key of ["nameservers", "search", "options"]) {
    const lists = [first[key], second[key]].filter((list) => Array.isArray(list));
    if (lists.length > 0) joined[key] = lists.reduce(union);
  }
  return joined;
}

function union<T>(first: readonly T[], second: readonly T[]): T[] {
  const known = new Set(first.map(canonicalJson));
  const added = second.filter((item) => {
    const text = canonicalJson(item);
    return !known.has(text) && known.add(text);
  });
  return [...first, ...added];
}

/** An address that two interfaces of a container would have. */
export interface SharedAddress {
  readonly address: string;
  /** The interface of prevResult that already has it. */
  readonly ifName: string;
}

/**
 * Returns the first address of a creator's new interface that an interface of prevResult already has; undefined if all are
 * new. Prefix lengths do not matter. Link-local IPv6 addresses may repeat, because they are per interface.
 */
export function sharedAddress(
  prevResult: CniResult,
  delegateResult: CniResult,
  selector: AttachmentSelector,
): SharedAddress | undefined {
  const taken = takenAddresses(prevResult, selector);
  const { interfaces, ips } = delegateResult;
  const attachment = findAttachment(delegateResult, selector.ifName, selector.netns);
  const own = attachment ?? attachmentsOf(interfaces ?? []).at(-1);
  for (const { address, interface: index } of ips ?? []) {
    // A plugin that merges prevResult itself also returns the other interfaces' addresses, before its own.
    if (typeof index === "number" && index !== own?.container) continue;
    const ifName = taken.get(ipName(address) ?? "");
    if (ifName !== undefined && !isLinkLocal(address)) return { address, ifName };
  }
  return undefined;
}

/** Maps each address of prevResult to the container interface that has it. */
function takenAddresses(prevResult: CniResult, { netns, runtimeIfName }: AttachmentSelector): Map<string, string> {
  const runtimes = findAttachment(prevResult, runtimeIfName, netns);
  const taken = new Map<string, string>();
  for (const ip of prevResult.ips ?? []) {
    const owner = prevResult.interfaces?.[ip.interface ?? runtimes?.container ?? -1];
    const address = ipName(ip.address);
    if (owner && isContainerInterface(owner) && address !== undefined) taken.set(address, owner.name);
  }
  return taken;
}
