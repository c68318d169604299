import { type CniResult, type IpConfig, isContainerInterface } from "../protocol/result.ts";
import { type AttachmentSelector, attachmentsOf, findAttachment } from "./attachments.ts";
import { ipName, isLinkLocal } from "./subnet.ts";

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
  for (const { address } of ownAddresses(delegateResult, selector)) {
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

// A plugin that merges prevResult itself also returns the other interfaces' addresses, before its own.
function ownAddresses(result: CniResult, { ifName, netns }: AttachmentSelector): readonly IpConfig[] {
  const own = findAttachment(result, ifName, netns) ?? attachmentsOf(result.interfaces ?? []).at(-1);
  return (result.ips ?? []).filter(({ interface: index }) => typeof index !== "number" || index === own?.container);
}
