import type { Request } from "../protocol/request.ts";
import type { AttachmentRecord } from "../record/record.ts";
import type { Target } from "./target.ts";

// A renamed interface has its own network. Before the wrappers, a script may have attached it under the list's own name. Two
// networks do not know each other's leases, so an address could be given out twice.

/**
 * Returns the list's own name if a renamed interface may have its leases there; undefined if only the wrapper's network
 * counts.
 */
export function listNetwork(
  { configuration, wrapper }: Request,
  { role, renamed, network }: Target,
): string | undefined {
  const isElsewhere = role === "creator" && renamed && wrapper.network === undefined && network !== configuration.name;
  return isElsewhere ? configuration.name : undefined;
}

/**
 * Returns the target of a CHECK in the network in which ADD made the interface, because its leases are there. The list may
 * have changed since. A meta plugin keeps its own network.
 */
export function inNetworkOf(target: Target, { delegate, delegateNetwork }: AttachmentRecord): Target {
  const isIts = target.role !== "meta" && delegate === target.delegate;
  return isIts ? { ...target, network: delegateNetwork } : target;
}

/** Whether a renamed creator runs in the list's own network, with others of the list. */
export function sharesNetwork({ configuration }: Request, { role, renamed, network }: Target): boolean {
  return role === "creator" && renamed && network === configuration.name;
}
