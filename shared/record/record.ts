import type { AddedInterface } from "../attachment/added.ts";
import type { FileIdentity } from "../host/host.ts";
import type { JsonObject } from "../protocol/json.ts";

/** Identifies the record of one attachment. */
export interface RecordKey {
  /** The runtime's name of the network, not the delegate's. */
  readonly network: string;
  readonly containerId: string;
  readonly runtimeIfName: string;
  readonly ifName: string;
}

/** The boot of the host and the network namespace (device and inode) in which an attachment was made. */
export interface Origin {
  readonly bootId: string;
  readonly namespace: string;
}

/** The record that ADD leaves on the host about an attachment: enough to undo it, and to know what it made. */
export interface AttachmentRecord extends RecordKey, Origin {
  /** CNI_NETNS of that ADD. */
  readonly netns: string;
  readonly delegate: string;
  /** The delegate's network, under which it keeps its leases. */
  readonly delegateNetwork: string;
  /** A checksum of the plugin's configuration in the list, without `wrapper`. It differs between plugins of one type. */
  readonly listed?: string;
  /** The index of the interface of that name before ADD, 0 for none; undefined if it could not be read. */
  readonly before?: number | undefined;
  /** The index of the interface that ADD made, 0 for none; undefined while ADD runs. */
  readonly made?: number | undefined;
  /** The addresses that the attachment has, or had before, such as `172.26.64.2/20`. In a meta plugin's record, only those before. */
  readonly addresses: readonly string[];
  /** The container interfaces that a meta plugin's ADD added to its attachment. */
  readonly added?: readonly AddedInterface[] | undefined;
  /** The plugin configuration that a meta plugin's ADD got. GC runs its DEL with it: only the runtime knew prevResult and ports. */
  readonly configuration?: JsonObject | undefined;
  /** Whether the addresses are from an earlier boot. Nothing on the host refers to them, so others will do. */
  readonly outlived?: boolean | undefined;
  /** A later ADD in another namespace of the same boot, which has not passed. */
  readonly later?: LaterAdd | undefined;
}

/** A network namespace (device and inode) and its path at that time. */
export interface Place {
  readonly netns: string;
  readonly namespace: string;
}

/** An ADD that found a record of another namespace. */
export interface LaterAdd extends Place {
  /** When the record had been written before that. In milliseconds. */
  readonly recordedMs: number;
}

/** The part of a record that says whose leases an interface has. */
export type LeaseOwner = RecordKey & Pick<AttachmentRecord, "delegateNetwork" | "made">;

/**
 * `own` cleans up what a try of this attachment certainly left. `always` also gives up an attachment that was complete.
 * `never` does not recover.
 */
export type RecoveryMode = "own" | "always" | "never";

/** The part of a record that is known before ADD. */
interface Recorded {
  readonly key: RecordKey;
  /** CNI_NETNS. */
  readonly netns: string;
  readonly delegate: string;
  readonly delegateNetwork: string;
}

/** How to record a creator's ADD, and how to recover from its failure. */
export interface RecoveryPlan extends Recorded {
  readonly listed: string;
  readonly mode: RecoveryMode;
  /** CNI_NETNS for the DEL that cleans up after an earlier boot. */
  readonly earlierNetns: string;
}

/** How to record a meta plugin's ADD, and how to undo it before another try. */
export interface MetaRecoveryPlan extends Recorded {
  readonly file: string;
}

/** The attachment whose moved routes are recorded or looked for. */
export interface RoutingPlan {
  readonly key: RecordKey;
  readonly netns: string;
  /** Whether the delegate moved the routes, or is a creator whose routes may have been moved. */
  readonly of: "mover" | "creator";
}

/** A record on the host, with its file. */
export interface KeptRecord {
  readonly file: string;
  readonly record: AttachmentRecord;
}

/** A file about an attachment, in the directory of the records. */
export interface KeptFile {
  readonly file: string;
  readonly owner: Pick<RecordKey, "network" | "containerId" | "runtimeIfName">;
  /** Undefined if the file is about moved routes or is unfinished. */
  readonly record: AttachmentRecord | undefined;
  /** Whether the namespace of the record is still there. */
  readonly isLive: boolean;
}

/** The questions that planning may ask about the records on the host. */
export interface Records {
  /** Whether a record's file is there, readable or not. */
  has(file: string): boolean;
  find(key: RecordKey): KeptRecord | undefined;
  /** The records of all interfaces that creators made for one of the runtime's attachments. */
  ofAttachment(key: RecordKey): readonly KeptRecord[];
  /** Whether another attachment of the container, with an interface of the same name in the same delegate network, may have its leases. */
  mayShareLeases(record: LeaseOwner): boolean;
  /**
   * Whether the interface of this name in the namespace belongs to another attachment of the container: a result or a record
   * says so, and its index is not `made`.
   */
  belongsToAnother(key: RecordKey, netns: string, made?: number): boolean;
  /** The files of a meta plugin's records for one interface. */
  ofMeta(key: RecordKey, delegate: string): readonly string[];
  /** The readable records in these files of meta plugins. */
  read(files: readonly string[]): readonly AttachmentRecord[];
  /** The unfinished files of an attachment's records. Their writers were killed. */
  unfinished(key: RecordKey): readonly string[];
  /** Every file that belongs to a network. */
  ofNetwork(network: string): readonly KeptFile[];
  /** The addresses of all records and of all results in libcni's cache. */
  holdings(): readonly Holding[];
  /** host-local's leases in the directory of a network. Only the files of wanted addresses are read. */
  leases(directory: string, isWanted: (address: string) => boolean): readonly Lease[];
  /** host-local's leases of one address (`172.26.64.2`) in its default `dataDir`, in whatever network. */
  leasesOf(address: string): readonly Lease[];
}

/** The addresses of a container, such as `172.26.64.2/20`, as a record or a result in libcni's cache tells them. */
export interface Holding {
  readonly containerId: string;
  readonly addresses: readonly string[];
}

/** An address that host-local gave to an interface of a container. */
export interface Lease {
  readonly address: string;
  readonly containerId: string;
  readonly ifName: string;
}

/** Parses the text of a lease, which is in the file of its address (plugins/ipam/host-local/backend/disk); undefined if it is none. */
export function parseLease(address: string, text: string): Lease | undefined {
  const [containerId = "", ifName] = text.split("\n");
  return ifName === undefined ? undefined : { address, containerId: containerId.trim(), ifName: ifName.trim() };
}

/** The directory of the records. */
export const recordDirectory = "/var/lib/cni/wrappers";
const routesInstance = "routes";

/** Returns the name of a namespace in records; undefined if there is no namespace. */
export function namespaceOf(file: FileIdentity | undefined): string | undefined {
  return file && `${file.device}:${file.inode}`;
}

/** Returns the file of a record. Colons separate the names, because none of them can contain one. */
export function recordFile({ network, containerId, runtimeIfName, ifName }: RecordKey): string {
  return `${recordDirectory}/${network}:${containerId}:${runtimeIfName}:${ifName}`;
}

/** Returns the file of a meta plugin's record. Several meta plugins may act on one interface. */
export function metaRecordFile(key: RecordKey, instance: string): string {
  return `${recordFile(key)}:${instance}`;
}

/** Returns the file that records the moved routes of a container, one for all its interfaces. */
export function routingFile(key: Omit<RecordKey, "ifName">): string {
  return metaRecordFile({ ...key, ifName: "" }, routesInstance);
}

/** Returns the file in which libcni keeps the result of a completed ADD (libcni/api.go, getCacheFilePath). */
export function cachedResultFile({ network, containerId, runtimeIfName }: RecordKey): string {
  return `${resultDirectory}/${network}-${containerId}-${runtimeIfName}`;
}

/** The directory of libcni's cached results. */
export const resultDirectory = "/var/lib/cni/results";

/** host-local's default `dataDir`: a directory for each network, in which each lease has a file. */
export const leaseDirectory = "/var/lib/cni/networks";
