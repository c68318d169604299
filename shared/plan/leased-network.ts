import { goLookup, isJsonObject } from "../protocol/json.ts";
import type { Request } from "../protocol/request.ts";
import type { Records } from "../record/record.ts";
import { listNetwork } from "./list-network.ts";
import { recordKey } from "./record-key.ts";
import type { Target } from "./target.ts";

/**
 * Returns the target of an ADD in the network that has its leases: the network in its record, or the list's own if that has a
 * lease for an interface of this name.
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
 * Returns the targets of a DEL without a record, the likelier one first. If this container has a lease in the interface's
 * network, the record was lost. Otherwise something else made the interface, in the list's own network.
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

// host-local is the only reference IPAM plugin that keeps leases on the host.
function leaseDirectory({ configuration }: Request): string | undefined {
  const ipam = goLookup(configuration, "ipam");
  if (!isJsonObject(ipam) || goLookup(ipam, "type") !== "host-local") return undefined;
  const directory = goLookup(ipam, "dataDir");
  return typeof directory === "string" && directory !== "" ? directory : "/var/lib/cni/networks";
}
