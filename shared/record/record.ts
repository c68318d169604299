import type { FileIdentity } from "../host/host.ts";
import { type JsonObject, parseJsonObject } from "../protocol/json.ts";

/** What one attachment's record is found by. */
export interface RecordKey {
  /** The runtime's name of the network, not the delegate's. */
  readonly network: string;
  readonly containerId: string;
  readonly runtimeIfName: string;
  readonly ifName: string;
}

/** Where and when an attachment was made: which boot of the host, and which network namespace (device and inode). */
export interface Origin {
  readonly bootId: string;
  readonly namespace: string;
}

/** What ADD leaves on the host about an attachment: enough to undo it, and to know what it made. */
export interface AttachmentRecord extends RecordKey, Origin {
  /** CNI_NETNS of that ADD. */
  readonly netns: string;
  readonly delegate: string;
  /** The delegate's network, under which it keeps its leases. */
  readonly delegateNetwork: string;
  /** The checksum of what the list said about the plugin, but for `wrapper`: another plugin of the same type has another. */
  readonly listed?: string;
  /** The index of the interface of that name that was there before ADD, 0 for none; missing if nobody could look. */
  readonly before?: number | undefined;
  /** The index of the interface that ADD made, 0 for none; missing as long as ADD runs. */
  readonly made?: number | undefined;
  /** The addresses that the attachment has, or had before, such as `172.26.64.2/20`. */
  readonly addresses: readonly string[];
  /** The addresses are of an earlier boot: nothing on the host refers to them, so others will do. */
  readonly outlived?: boolean | undefined;
}

/** `own` heals what is certainly left of a try of this attachment, `always` gives up an attachment that was complete as well. */
export type RecoveryMode = "own" | "always" | "never";

/** What an ADD says in its record, besides what it finds out. */
interface Recorded {
  readonly key: RecordKey;
  /** CNI_NETNS. */
  readonly netns: string;
  readonly delegate: string;
  readonly delegateNetwork: string;
}

/** How a creator's ADD is recorded and healed. */
export interface RecoveryPlan extends Recorded {
  readonly listed: string;
  readonly mode: RecoveryMode;
  /** CNI_NETNS for the DEL of what was made before this boot. */
  readonly earlierNetns: string;
}

/** How a meta plugin's ADD is recorded, and undone before another try. */
export interface ChainedRecoveryPlan extends Recorded {
  readonly file: string;
}

/** What is needed to note where routes were moved, and to look for them. */
export interface RoutingPlan {
  readonly key: RecordKey;
  readonly netns: string;
  /** Whether it is the plugin that moved them, or one whose routes may have been. */
  readonly of: "mover" | "creator";
}

/** A record on the host, with its file. */
export interface KeptRecord {
  readonly file: string;
  readonly record: AttachmentRecord;
}

/** A file that says to which attachment it belongs. */
export interface KeptFile {
  readonly file: string;
  readonly owner: Pick<RecordKey, "network" | "containerId" | "runtimeIfName">;
  /** The record in it, if it is one of an interface that a creator made. */
  readonly record: AttachmentRecord | undefined;
  /** Whether the namespace of the record is still where it was. */
  readonly isLive: boolean;
}

/** What planning may ask about the records on the host. */
export interface Records {
  /** Whether a record's file is there, readable or not. */
  has(file: string): boolean;
  find(key: RecordKey): KeptRecord | undefined;
  /** The records of all interfaces that creators made for one attachment of the runtime's. */
  ofAttachment(key: RecordKey): readonly KeptRecord[];
  /** Whether another attachment of the container has an interface of the same name in the same network of the delegate. */
  sharesLeases(record: AttachmentRecord): boolean;
  /** The files of a meta plugin's records for one interface. */
  ofChained(key: RecordKey, delegate: string): readonly string[];
  /** Every file that belongs to a network. */
  ofNetwork(network: string): readonly KeptFile[];
  /** Whether host-local has given out an address of a network for an interface of that name: to this container, or to any. */
  hasLease(directory: string, network: string, ifName: string, containerId?: string): boolean;
}

export const recordDirectory = "/var/lib/cni/wrappers";
const routesInstance = "routes";

/** A namespace as records name it; undefined if there is none. */
export function namespaceOf(file: FileIdentity | undefined): string | undefined {
  return file && `${file.device}:${file.inode}`;
}

/** The record's file. None of the names can have a colon. */
export function recordFile({ network, containerId, runtimeIfName, ifName }: RecordKey): string {
  return `${recordDirectory}/${[network, containerId, runtimeIfName, ifName].join(":")}`;
}

/** The file of a meta plugin's record: several may act on one interface. */
export function chainedRecordFile(key: RecordKey, instance: string): string {
  return `${recordFile(key)}:${instance}`;
}

/** The file of the record of a container's moved routes, whose interface's they are does not matter. */
export function routingFile(key: Omit<RecordKey, "ifName">): string {
  return chainedRecordFile({ ...key, ifName: "" }, routesInstance);
}

/** Where libcni keeps the result of a completed ADD (libcni/api.go, getCacheFilePath). */
export function cachedResultFile({ network, containerId, runtimeIfName }: RecordKey): string {
  return `${resultDirectory}/${network}-${containerId}-${runtimeIfName}`;
}

export const resultDirectory = "/var/lib/cni/results";

/** The record in a file's text, believed only if it names what it was found by; undefined if there is none. */
export function parseRecord(file: string, text: string | undefined): AttachmentRecord | undefined {
  const value = parseJsonObject(text ?? "");
  return value && isRecord(value) && `${file}:`.startsWith(`${recordFile(value)}:`) ? value : undefined;
}

function isRecord(value: JsonObject): value is AttachmentRecord & JsonObject {
  const { before, made, addresses } = value;
  return (
    texts.every((key) => typeof value[key] === "string") &&
    [before, made].every((index) => index === undefined || typeof index === "number") &&
    Array.isArray(addresses) &&
    addresses.every((address) => typeof address === "string")
  );
}

const texts: readonly (keyof AttachmentRecord)[] = [
  ...(["network", "containerId", "runtimeIfName", "ifName"] as const),
  ...(["bootId", "namespace", "netns", "delegate", "delegateNetwork"] as const),
];
