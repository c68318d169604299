import type { Host } from "../host/host.ts";
import { isJsonObject, type JsonObject, parseJsonObject } from "../protocol/json.ts";
import { parseRecord } from "../record/parse-record.ts";
import {
  type AttachmentRecord,
  cachedResultFile,
  type Holding,
  type KeptFile,
  type KeptRecord,
  type Lease,
  type LeaseOwner,
  leaseDirectory,
  metaRecordFile,
  namespaceOf,
  type Place,
  parseLease,
  type RecordKey,
  type RecoveryPlan,
  recordDirectory,
  recordFile,
  resultDirectory,
} from "../record/record.ts";
import { readRecord } from "./read-record.ts";

// The questions about the records that list directories. Most calls ask none of them.

/** Returns the records of all interfaces that creators made for one of the runtime's attachments. */
export function recordsOfAttachment(host: Host, key: RecordKey): KeptRecord[] {
  const files = filesBeginning(host, recordFile({ ...key, ifName: "" }));
  return files.map((file) => readRecord(host, file)).filter((one) => one !== undefined);
}

/** Whether a live attachment of the container has the leases of a record's interface. */
export function sharesLeases(host: Host, record: LeaseOwner): boolean {
  return othersWithLeases(host, record).some((other) => isLive(host, other));
}

/**
 * Whether the leases of a record's interface may belong to another attachment of the container. If that one is of an earlier
 * boot or namespace, it has them unless only this record's ADD made the interface: host-local gives an interface one lease.
 */
export function mayShareLeases(host: Host, record: LeaseOwner): boolean {
  return othersWithLeases(host, record).some((other) => isLive(host, other) || (!record.made && other.made !== 0));
}

/** The records of the container's other attachments with an interface of the same name in the same delegate network. */
function othersWithLeases(host: Host, record: LeaseOwner): AttachmentRecord[] {
  return filesBeginning(host, `${recordDirectory}/${record.network}:${record.containerId}:`)
    .filter((file) => file !== recordFile(record))
    .map((file) => readRecord(host, file)?.record)
    .filter((other) => other !== undefined)
    .filter((other) => other.ifName === record.ifName && other.delegateNetwork === record.delegateNetwork);
}

/** Whether the interface belongs to another attachment of the container. If several attachments claim it, its index decides. */
export function belongsToAnother(host: Host, key: RecordKey, netns: string, made: number | undefined): boolean {
  if (!isClaimed(host, { key, netns })) return false;
  return made === undefined || host.linkIndex(netns, key.ifName) !== made;
}

/** Returns host-local's leases in the directory of a network (plugins/ipam/host-local/backend/disk): a file for each address. */
export function leasesOf(host: Host, directory: string, isWanted: (address: string) => boolean): Lease[] {
  return host
    .listDirectory(directory)
    .filter(isWanted)
    .flatMap((address) => leaseIn(host, directory, address));
}

/** Returns host-local's leases of one address in its default `dataDir`, in whatever network. */
export function leasesOfAddress(host: Host, address: string): Lease[] {
  const directories = host.listDirectory(leaseDirectory).map((network) => `${leaseDirectory}/${network}`);
  return directories.flatMap((directory) => leaseIn(host, directory, address));
}

function leaseIn(host: Host, directory: string, address: string): Lease[] {
  const lease = parseLease(address, host.readFile(`${directory}/${address}`) ?? "");
  return lease ? [lease] : [];
}

/** Returns the files of a meta plugin's records for one interface. */
export function filesOfMeta(host: Host, key: RecordKey, delegate: string): string[] {
  return filesBeginning(host, `${metaRecordFile(key, delegate)}-`);
}

/** Returns every file that belongs to a network. */
export function filesOfNetwork(host: Host, network: string): KeptFile[] {
  const prefix = `${recordDirectory}/${network}:`;
  return [...filesBeginning(host, prefix).flatMap((file) => readFile(host, file)), ...unfinishedFiles(host, prefix)];
}

/** Returns the addresses of all records and of all results in libcni's cache. */
export function holdingsOn(host: Host): Holding[] {
  return [recordDirectory, resultDirectory]
    .flatMap((directory) => host.listDirectory(directory).map((name) => `${directory}/${name}`))
    .map((file) => parseJsonObject(host.readFile(file) ?? ""))
    .flatMap((value) =>
      typeof value?.containerId === "string" ? [{ containerId: value.containerId, addresses: addressesIn(value) }] : [],
    );
}

/** A creator's record has addresses, a meta plugin's record a prevResult, and libcni's file a result. */
function addressesIn({ addresses, configuration, result }: JsonObject): string[] {
  const results = [isJsonObject(configuration) ? configuration.prevResult : undefined, result].filter(isJsonObject);
  const ips = results.flatMap((one) => (Array.isArray(one.ips) ? one.ips.filter(isJsonObject) : []));
  const own = Array.isArray(addresses) && configuration === undefined ? addresses : [];
  const all: unknown[] = [...own, ...ips.map(({ address }) => address)];
  return all.filter((address) => typeof address === "string");
}

/** Returns the unfinished files of the records that begin with a prefix, if their writers have ended. */
export function unfinishedFiles(host: Host, prefix: string): KeptFile[] {
  const name = prefix.slice(recordDirectory.length + 1);
  return filesBeginning(host, `${recordDirectory}/.${name}`).flatMap((file) => {
    const [network = "", containerId = "", runtimeIfName = ""] = file.slice(recordDirectory.length + 2).split(":");
    const [pid] = file.slice(file.lastIndexOf(":") + 1).split("-");
    const owner = { network, containerId, runtimeIfName };
    return host.stat(`/proc/${pid}`) ? [] : [{ file, owner, record: undefined, isLive: false }];
  });
}

function filesBeginning(host: Host, prefix: string): string[] {
  const files = host.listDirectory(recordDirectory).map((name) => `${recordDirectory}/${name}`);
  return files.filter((file) => file.startsWith(prefix));
}

/** Returns the id of the host's current boot; undefined if it cannot be read. */
export function bootIdOf(host: Pick<Host, "readFile">): string | undefined {
  return host.readFile("/proc/sys/kernel/random/boot_id")?.trim() || undefined;
}

/**
 * Whether a result in libcni's cache or another record says that the interface of this name belongs to another attachment of
 * the container. An attachment whose record is of an earlier boot or of another namespace has nothing in this one.
 */
export function isClaimed(host: Host, { key, netns }: Pick<RecoveryPlan, "key" | "netns">): boolean {
  const isOther = (file: string): boolean => file !== recordFile(key) && file !== cachedResultFile(key);
  const ofContainer = (directory: string, name: string): string[] =>
    host
      .listDirectory(directory)
      .filter((candidate) => candidate.includes(name))
      .map((found) => `${directory}/${found}`)
      .filter(isOther);
  return (
    ofContainer(resultDirectory, key.containerId).some((file) => listsInterface(host, file, key, netns)) ||
    ofContainer(recordDirectory, `:${key.containerId}:`).some((file) => {
      const other = readRecord(host, file)?.record;
      return other?.ifName === key.ifName && other.made !== 0 && mayBeIn(host, other, netns);
    })
  );
}

/** Whether a record may be about a namespace. It may be if the namespace or the boot cannot be read. */
function mayBeIn(host: Host, { bootId, namespace, later }: AttachmentRecord, netns: string): boolean {
  const present = namespaceOf(host.stat(netns));
  if (present === undefined) return true;
  return [bootId, undefined].includes(bootIdOf(host)) && [namespace, later?.namespace].includes(present);
}

// libcni's cache (cniCacheV1) has the attachment's names next to the result. Its record, if it has one, tells the namespace.
function listsInterface(host: Host, file: string, { containerId, ifName }: RecordKey, netns: string): boolean {
  const {
    containerId: owner,
    networkName,
    ifName: runtimeIfName,
    result,
  } = parseJsonObject(host.readFile(file) ?? "") ?? {};
  if (owner !== containerId || !isJsonObject(result) || !Array.isArray(result.interfaces)) return false;
  if (!result.interfaces.some((one) => isJsonObject(one) && one.name === ifName && one.sandbox === netns)) return false;
  const key = { network: String(networkName), containerId, runtimeIfName: String(runtimeIfName), ifName };
  const record = readRecord(host, recordFile(key))?.record;
  return record === undefined || mayBeIn(host, record, netns);
}

function readFile(host: Host, file: string): KeptFile[] {
  // Read once: if a second read failed, GC would take the record for an invalid one and delete it.
  const text = host.readFile(file);
  const owner = parseJsonObject(text ?? "") as KeptFile["owner"] | undefined;
  if (owner === undefined) return [];
  const record = parseRecord(file, text);
  return [{ file, owner, record, isLive: record !== undefined && isLive(host, record) }];
}

/** Whether a namespace of a record is still there. Without the boot id it may be. */
export function isLive(host: Pick<Host, "readFile" | "stat">, record: AttachmentRecord): boolean {
  const present = bootIdOf(host);
  const isThere = ({ netns, namespace }: Place) => namespaceOf(host.stat(netns)) === namespace;
  return (
    present === undefined ||
    (present === record.bootId && (isThere(record) || (!!record.later && isThere(record.later))))
  );
}
