import { subnetFinder } from "../attachment/subnet.ts";
import { goLookup, isJsonObject, type JsonObject } from "../protocol/json.ts";
import type { Request } from "../protocol/request.ts";
import { type Lease, leaseDirectory, type Records } from "../record/record.ts";
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
  return hasOlderLease(request, target, other, records) ? { ...target, network: other } : target;
}

/**
 * Whether something other than the wrappers gave out an address of this plugin to an interface of this name. An attachment of the
 * runtime's own with that name has a lease there, too, but a record says so.
 */
function hasOlderLease(request: Request, { selector }: Target, network: string, records: Records): boolean {
  const { ifName } = selector;
  return leasesIn(
    request,
    network,
    records,
    subnetFinder(() => subnetsOf(request)),
  ).some(
    (lease) =>
      lease.ifName === ifName &&
      !records.find({ network, containerId: lease.containerId, runtimeIfName: ifName, ifName }),
  );
}

/**
 * Returns the targets of a DEL without a record, the likelier one first. If this container has a lease in the interface's
 * network, the record was lost. Otherwise something else made the interface, in the list's own network.
 */
export function inBothNetworks(request: Request, target: Target, records: Records): readonly [Target, ...Target[]] {
  const other = listNetwork(request, target);
  if (other === undefined) return [target];
  const inList = { ...target, network: other };
  return hasOwnLease(request, target, records) ? [target, inList] : [inList, target];
}

/** Whether this container has a lease for an interface of this name in the target's network. */
export function hasOwnLease(request: Request, { selector, network }: Target, records: Records): boolean {
  const { containerId } = request.variables;
  return leasesIn(request, network, records).some(
    (lease) => lease.ifName === selector.ifName && lease.containerId === containerId,
  );
}

// host-local is the only reference IPAM plugin that keeps leases on the host.
function leasesIn(
  request: Request,
  network: string,
  records: Records,
  isWanted: (address: string) => boolean = () => true,
): readonly Lease[] {
  const ipam = ipamOf(request);
  if (goLookup(ipam, "type") !== "host-local") return [];
  const directory = goLookup(ipam, "dataDir");
  const path = typeof directory === "string" && directory !== "" ? directory : leaseDirectory;
  return records.leases(`${path}/${network}`, isWanted);
}

/** The subnets of host-local's `subnet` and `ranges`. */
function subnetsOf(request: Request): string[] {
  const ipam = ipamOf(request);
  const ranges = goLookup(ipam, "ranges");
  const listed = (Array.isArray(ranges) ? ranges.flat() : []).filter(isJsonObject);
  const subnets = [ipam, ...listed].map((range) => goLookup(range, "subnet"));
  return subnets.filter((subnet) => typeof subnet === "string");
}

function ipamOf({ configuration }: Request): JsonObject {
  const ipam = goLookup(configuration, "ipam");
  return isJsonObject(ipam) ? ipam : {};
}
