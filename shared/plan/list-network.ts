import { goLookup, isJsonObject } from "../protocol/json.ts";
import type { Request } from "../protocol/request.ts";
import { type AttachmentRecord, type Records, recordKey } from "./record.ts";
import type { Subject } from "./subject.ts";

// A renamed interface has a network of its own. What attached it before the wrappers, a script say, used the list's own name, and
// two networks know nothing of each other's leases: an address would be given out twice.

/** The list's own name, where a renamed interface may have its leases; undefined where nothing but the wrapper's counts. */
export function listNetwork(
  { configuration, wrapper }: Request,
  { role, renamed, network }: Subject,
): string | undefined {
  const isElsewhere = role === "creator" && renamed && wrapper.network === undefined && network !== configuration.name;
  return isElsewhere ? configuration.name : undefined;
}

/**
 * The subject of an ADD in the network in which its leases are: the one that its record names, else the list's own as long as
 * that has a lease for an interface of this name.
 */
export function inLeasedNetwork(request: Request, subject: Subject, records: Records): Subject {
  const other = listNetwork(request, subject);
  if (other === undefined) return subject;
  const record = records.find(recordKey(request, subject))?.record;
  if (record) return inNetworkOf(request, subject, record);
  const directory = leaseDirectory(request);
  const isShared = directory !== undefined && records.hasLease(directory, other, subject.name.ifName);
  return isShared ? { ...subject, network: other } : subject;
}

/** The subject in the network that its record names. */
export function inNetworkOf(request: Request, subject: Subject, record: AttachmentRecord): Subject {
  const other = listNetwork(request, subject);
  return other === record.delegateNetwork ? { ...subject, network: other } : subject;
}

// Of the reference IPAM plugins host-local alone keeps leases on the host.
function leaseDirectory({ configuration }: Request): string | undefined {
  const ipam = goLookup(configuration, "ipam");
  if (!isJsonObject(ipam) || goLookup(ipam, "type") !== "host-local") return undefined;
  const directory = goLookup(ipam, "dataDir");
  return typeof directory === "string" && directory !== "" ? directory : "/var/lib/cni/networks";
}
