import type { Host } from "../host/host.ts";
import { isJsonObject, parseJsonObject } from "../protocol/json.ts";
import {
  type AttachmentRecord,
  cachedResultFile,
  chainedRecordFile,
  type KeptFile,
  type KeptRecord,
  namespaceOf,
  parseRecord,
  type RecordKey,
  type Records,
  type RecoveryPlan,
  recordDirectory,
  recordFile,
  resultDirectory,
} from "../record/record.ts";

/** Answers questions about the records on a host. Nothing is read before it is asked for. */
export function recordsOn(host: Host): Records {
  const beginning = (prefix: string): string[] => {
    const files = host.listDirectory(recordDirectory).map((name) => `${recordDirectory}/${name}`);
    return files.filter((file) => file.startsWith(prefix));
  };
  return {
    has: (file) => host.stat(file) !== undefined,
    find: (key) => readRecord(host, recordFile(key)),
    ofAttachment: (key) =>
      beginning(recordFile({ ...key, ifName: "" }))
        .map((file) => readRecord(host, file))
        .filter((one) => one !== undefined),
    sharesLeases: (record) =>
      beginning(`${recordDirectory}/${record.network}:${record.containerId}:`).some((file) => {
        const other = file === recordFile(record) ? undefined : readRecord(host, file)?.record;
        return other?.ifName === record.ifName && other.delegateNetwork === record.delegateNetwork;
      }),
    hasLease: (directory, network, ifName, containerId) =>
      host.listDirectory(`${directory}/${network}`).some((address) => {
        const [owner, interfaceName] = leasedTo(host.readFile(`${directory}/${network}/${address}`));
        return interfaceName === ifName && (containerId === undefined || owner === containerId);
      }),
    ofChained: (key, delegate) => beginning(`${chainedRecordFile(key, delegate)}-`),
    ofNetwork: (network) => beginning(`${recordDirectory}/${network}:`).flatMap((file) => readFile(host, file)),
  };
}

// host-local (plugins/ipam/host-local/backend/disk) names a lease's file after the address. It contains the container's id
// and the interface.
function leasedTo(text = ""): readonly string[] {
  return text.split("\n").map((line) => line.trim());
}

/** Returns the id of the host's current boot; undefined if it cannot be read. */
export function bootIdOf(host: Host): string | undefined {
  return host.readFile("/proc/sys/kernel/random/boot_id")?.trim() || undefined;
}

/**
 * Whether the interface of this name in the container belongs to another attachment, by a result in libcni's cache or by
 * another record.
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
    ofContainer(resultDirectory, key.containerId).some((file) => listsInterface(host.readFile(file), key, netns)) ||
    ofContainer(recordDirectory, `:${key.containerId}:`).some((file) => {
      const other = readRecord(host, file)?.record;
      return other?.ifName === key.ifName && other.made !== 0;
    })
  );
}

// libcni's cache (cniCacheV1) has the container's id next to the result.
function listsInterface(cached: string | undefined, { containerId, ifName }: RecordKey, netns: string): boolean {
  const { containerId: owner, result } = parseJsonObject(cached ?? "") ?? {};
  if (owner !== containerId || !isJsonObject(result) || !Array.isArray(result.interfaces)) return false;
  return result.interfaces.some((one) => isJsonObject(one) && one.name === ifName && one.sandbox === netns);
}

/** Reads the record of an interface that a creator made. Meta plugins' records have longer names and are ignored. */
function readRecord(host: Host, file: string): KeptRecord | undefined {
  const record = parseRecord(file, host.readFile(file));
  return record && file === recordFile(record) ? { file, record } : undefined;
}

function readFile(host: Host, file: string): KeptFile[] {
  const owner = parseJsonObject(host.readFile(file) ?? "") as KeptFile["owner"] | undefined;
  if (owner === undefined) return [];
  const record = readRecord(host, file)?.record;
  return [{ file, owner, record, isLive: record !== undefined && isLive(host, record) }];
}

function isLive(host: Host, { netns, namespace, bootId }: AttachmentRecord): boolean {
  return bootIdOf(host) === bootId && namespaceOf(host.stat(netns)) === namespace;
}
