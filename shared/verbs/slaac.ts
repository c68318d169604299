import { type AttachmentSelector, findAttachment } from "../attachment/attachments.ts";
import { ipName } from "../attachment/subnet.ts";
import type { Call } from "../call/call.ts";
import { warnAloud } from "../call/session.ts";
import { readInterface } from "../delegate/lent-namespace.ts";
import type { Host } from "../host/host.ts";
import { uptimeOf } from "../journal/facts.ts";
import { CniError } from "../protocol/errors.ts";
import { type JsonObject, objectsOf, parseJsonList } from "../protocol/json.ts";
import type { SlaacOption } from "../protocol/options.ts";
import type { CniResult, IpConfig } from "../protocol/result.ts";

/** An address that the kernel made of a router's prefix, and the router if it is a default router. */
export interface RouterAddress {
  /** Such as `2001:db8::5/64`. */
  readonly address: string;
  readonly gateway: string | undefined;
}

/** The kernel needs a second or two to see that nobody else has an address. In milliseconds. */
const pollMs = 100;

/**
 * Waits until the interface of an ADD has a global IPv6 address from a router that can be used, as `wrapper.slaac` asks. Without
 * one in time: a warning and no address, or code 109 if it is required.
 */
export function awaitRouterAddresses({ session, target }: Call, slaac: SlaacOption): readonly RouterAddress[] {
  const { host } = session;
  const { ifName } = target.selector;
  const wait = Number.parseInt(slaac.wait ?? "5s", 10);
  const end = uptimeOf(host) + wait;
  let seen = linkIn(host, target.selector);
  let duplicate: JsonObject | undefined;
  let failures = 0;
  while (!(seen && isComplete(seen)) && uptimeOf(host) < end) {
    // ip(8) may fail once, where memory is short for example.
    failures = seen ? 0 : failures + 1;
    if (failures > 1) break;
    host.sleep(pollMs);
    const [before] = seen?.addresses ?? [];
    seen = linkIn(host, target.selector);
    // The kernel removes a duplicate, and makes it again when the router advertises its prefix again.
    if (seen?.addresses.length === 0) duplicate = before ?? duplicate;
  }
  const found = seen ? seen.addresses.filter(isUsable) : [];
  if (found.length > 0) return withRouter(found, host, target.selector);
  const why = reason(seen, duplicate, wait);
  if (slaac.required) throw new CniError("noRouterAddress", ifName, why);
  warnAloud(session, `${ifName} has no IPv6 address from a router: ${why}`);
  return [];
}

/** Returns a delegate's answer with the addresses from routers behind its own ones. */
export function withRouterAddresses(
  result: CniResult,
  { ifName, netns }: AttachmentSelector,
  found: readonly RouterAddress[],
): CniResult {
  const known = (result.ips ?? []).map(({ address }) => ipName(address));
  const index = findAttachment(result, ifName, netns)?.container;
  const added = found
    .filter(({ address }) => !known.includes(ipName(address)))
    .map(
      ({ address, gateway }): IpConfig => ({
        ...(result.cniVersion?.startsWith("0.") && { version: "6" }),
        address,
        ...(gateway !== undefined && { gateway }),
        ...(index !== undefined && { interface: index }),
      }),
    );
  return added.length === 0 ? result : { ...result, ips: [...(result.ips ?? []), ...added] };
}

/** An interface, as far as waiting for an address depends on it. */
interface Link {
  /** It is switched on, and its network is connected. */
  readonly isUp: boolean;
  /** Its addresses from routers, without those that change all the time for privacy. */
  readonly addresses: readonly JsonObject[];
}

/** Reads an interface; undefined if that fails. */
function linkIn(host: Host, { ifName, netns }: AttachmentSelector): Link | undefined {
  const link = readInterface(host, ifName, netns);
  if (link === undefined) return undefined;
  const { flags, addr_info: listed } = link;
  const addresses = objectsOf(listed).filter(isFromRouter);
  const isUp = Array.isArray(flags) && flags.includes("UP") && !flags.includes("NO-CARRIER");
  return { isUp, addresses };
}

// A plugin's own addresses are valid for ever.
function isFromRouter({ family, scope, dynamic, temporary }: JsonObject): boolean {
  return family === "inet6" && scope === "global" && dynamic === true && temporary !== true;
}

/** Whether an address is there, and none is still being examined. */
function isComplete({ addresses }: Link): boolean {
  const isTentative = ({ tentative, dadfailed }: JsonObject) => tentative === true && dadfailed !== true;
  return addresses.some(isUsable) && !addresses.some(isTentative);
}

function isUsable({ tentative, dadfailed, deprecated }: JsonObject): boolean {
  return tentative !== true && dadfailed !== true && deprecated !== true;
}

function withRouter(found: readonly JsonObject[], host: Host, { ifName, netns }: AttachmentSelector) {
  const text = host.ip(["-json", "-6", "route", "show", "default", "dev", ifName], "", netns) ?? "";
  const gateways = parseJsonList(text)?.map((route) => route.gateway);
  const gateway = gateways?.find((one) => typeof one === "string");
  return found
    .map(({ local, prefixlen }): RouterAddress => ({ address: `${local}/${prefixlen}`, gateway }))
    .sort((one, other) => Number(isLocal(one)) - Number(isLocal(other)));
}

/** Whether an address is of fc00::/7, which no router of the Internet knows. A runtime takes the first one. */
function isLocal({ address }: RouterAddress): boolean {
  return /^f[cd]/i.test(address);
}

/** Says why there is no address that can be used. */
function reason(link: Link | undefined, removed: JsonObject | undefined, wait: number): string {
  if (link === undefined) return "it cannot be read, are iproute2 (ip) and util-linux (nsenter) installed?";
  if (!link.isUp) return "the interface is down, or has no carrier";
  const [first] = link.addresses;
  const duplicate = removed ?? (first?.dadfailed === true ? first : undefined);
  if (duplicate !== undefined) return `another host has ${duplicate.local}`;
  if (first === undefined) return `none came within ${wait}s`;
  return `${first.local} is ${first.deprecated === true ? "deprecated" : `tentative after ${wait}s`}`;
}
