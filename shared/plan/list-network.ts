import { goLookup, isJsonObject } from "../protocol/json.ts";
import type { Request } from "../protocol/request.ts";
import type { AttachmentRecord, Records } from "../record/record.ts";
import { recordKey } from "./record-key.ts";
import type { Target } from "./target.ts";

// A renamed interface has a network of its own. What attached it before the wrappers, a script say, used the list's own name, and
// two networks know nothing of each other's leases: an address would be given out twice.

/** The list's own name, where a renamed interface may have its leases; undefined where nothing but the wrapper's counts. */
export function listNetwork(
  { configuration, wrapper }: Request,
  { role, renamed, network }: Target,
): string | undefined {
  const isElsewhere = role === "creator" && renamed && wrapper.network === undefined && network !== configuration.name;
  return isElsewhere ? configuration.name : undefined;
}

/**
 * The target of an ADD in the network in which its leases are: the one that its record names, else the list's own as long as
 * that has a lease for an interface of this name.
 */
export function inLeasedNetwork(request: Request, target: Target, records: Records): Target {
  const other = listNetwork(request, target);
  if (other === undefined) return target;
  const record = records.find(recordKey(request, target))?.record;
  if (record) return other === record.delegateNetwork ? { ...target, network: other } : target;
  const directory = leaseDirectory(request);
  const isShared = directory !== undefined && records.hasLease(directory, other, target.selector.ifName);
  return isShared ? { ...target, network: other } : target;
}

/**
 * The target of a CHECK in the network in which ADD made the interface, whatever the list says by now: its leases are there. A
 * meta plugin keeps its own.
 */
export function inNetworkOf(target: Target, { delegate, delegateNetwork }: AttachmentRecord): Target {
  const isIts = target.role !== "meta" && delegate === target.delegate;
  return isIts ? { ...target, network: delegateNetwork } : target;
}

/**
 * The targets of a DEL without a record, the likelier first. Something else made the interface, in the list's own network; or
 * the record was lost, and then a lease of this container in the interface's network tells.
 */
export function inBothNetworks(request: Request, target: Target, records: Records): readonly Target[] {
  const other = listNetwork(request, target);
  if (other === undefined) return [target];
  const inList = { ...target, network: other };
  const directory = leaseDirectory(request);
  const { containerId } = request.variables;
  const isOwn = directory && records.hasLease(directory, target.network, target.selector.ifName, containerId);
  return isOwn ? [target, inList] : [inList, target];
}

// Of the reference IPAM plugins host-local alone keeps leases on the host.
function leaseDirectory({ configuration }: Request): string | undefined {
  const ipam = goLookup(configuration, "ipam");
  if (!isJsonObject(ipam) || goLookup(ipam, "type") !== "host-local") return undefined;
  const directory = goLookup(ipam, "dataDir");
  return typeof directory === "string" && directory !== "" ? directory : "/var/lib/cni/networks";
}
