import type { FileIdentity } from "../host/host.ts";
import { type JsonObject, parseJsonObject } from "../protocol/json.ts";
import type { Request } from "../protocol/request.ts";
import type { Subject } from "./subject.ts";

/** What one attachment's record is found by. */
export interface RecordKey {
  /** The runtime's name of the network, not the delegate's. */
  readonly network: string;
  readonly containerId: string;
  readonly runtimeIfName: string;
  readonly ifName: string;
}

/** Where and when an attachment was made: which boot of the host, and which network namespace (device and inode). */
export interface Circumstances {
  readonly bootId: string;
  readonly namespace: string;
}

/** What ADD leaves on the host: something of this attachment may be there. */
export type AttachmentRecord = RecordKey & Circumstances;

/** How a creator's ADD is to be healed. */
export interface RecoveryPlan {
  readonly key: RecordKey;
  readonly recovery: Recovery;
  /** CNI_NETNS. */
  readonly netns: string;
  /** CNI_NETNS for the DEL of what was made before this boot. */
  readonly earlierNetns: string;
}

/** The attachments of one interface of a network that are still valid. */
export interface ValidAttachments {
  readonly network: string;
  /** The wrapper's name for the interface; without one it is the runtime's. */
  readonly ifName: string | undefined;
  readonly valid: readonly { readonly containerId: unknown; readonly runtimeIfName: unknown }[];
}

/** What is needed to note where routes were moved, and to look for them. */
export interface RoutingPlan {
  readonly key: RecordKey;
  readonly netns: string;
  /** Whether it is the plugin that moved them, or one whose routes may have been. */
  readonly of: "mover" | "creator";
}

/**
 * `own`: what an earlier try in this very namespace left, and was not completed, is healed. Another namespace of this boot may
 * have a live task in it: a loud failure is better than one that says "running" without a network. `always`: that as well.
 */
export type Recovery = "own" | "always";

export const recordDirectory = "/var/lib/cni/wrappers";
const routingSuffix = ":routes";

/** What the record of a request's attachment is found by. */
export function recordKey({ configuration, variables }: Request, { name }: Subject): RecordKey {
  const { containerId } = variables;
  return { network: configuration.name, containerId, runtimeIfName: name.runtimeIfName, ifName: name.ifName };
}

/** A namespace as records name it; undefined if there is none. */
export function namespaceOf(file: FileIdentity | undefined): string | undefined {
  return file && `${file.device}:${file.inode}`;
}

/** The record's file. */
export function recordFile({ network, containerId, runtimeIfName, ifName }: RecordKey): string {
  return `${recordDirectory}/${network}-${containerId}-${runtimeIfName}-${ifName}`;
}

/** Where libcni keeps the result of a completed ADD (libcni/api.go, getCacheFilePath). */
export function cachedResultFile({ network, containerId, runtimeIfName }: RecordKey): string {
  return `/var/lib/cni/results/${network}-${containerId}-${runtimeIfName}`;
}

/** The file of the record of a container's moved routes; no interface name has a colon. */
export function routingFile({ network, containerId, runtimeIfName }: Omit<RecordKey, "ifName">): string {
  return `${recordDirectory}/${network}-${containerId}-${runtimeIfName}${routingSuffix}`;
}

/** Whether a file of the records' directory is such a record. */
export function isRoutingFile(file: string): boolean {
  return file.endsWith(routingSuffix);
}

/** The record in a file's text; undefined if there is none, or none that can be read. */
export function parseRecord(text: string | undefined): AttachmentRecord | undefined {
  const value = parseJsonObject(text ?? "");
  return value && isRecord(value) ? value : undefined;
}

function isRecord(value: JsonObject): value is AttachmentRecord & JsonObject {
  const keys = ["network", "containerId", "runtimeIfName", "ifName", "bootId", "namespace"];
  return keys.every((key) => typeof value[key] === "string");
}
