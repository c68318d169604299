import {
  type AttachmentRecord,
  type Holding,
  type KeptFile,
  type Lease,
  metaRecordFile,
  type RecordKey,
  type Records,
  recordDirectory,
  recordFile,
} from "../../../shared/record/record.ts";
import { bootId } from "./fake-host.ts";
import { blue } from "./requests.ts";

/** The record of a completed ADD of bridge for eth0 of the container blue in the network zone. The test chooses the rest. */
export function recordOf(changes: Partial<AttachmentRecord> = {}): AttachmentRecord {
  const { ifName = "eth0", network = "zone" } = changes;
  return {
    ...{ network, containerId: "blue", runtimeIfName: "eth0", ifName },
    ...{ bootId, namespace: "4:4026531840", netns: blue },
    ...{ delegate: "bridge", delegateNetwork: ifName === "eth0" ? network : `${network}-${ifName}` },
    ...{ before: 0, made: 7, addresses: [] },
    ...changes,
  };
}

/** Fake records of creators, and other files. The namespaces of those in `live` still exist. */
export function keptRecords(
  records: readonly AttachmentRecord[] = [],
  {
    files = [],
    live = [],
    leases = {},
    claimed = [],
    holdings = [],
  }: {
    files?: readonly KeptFile[];
    live?: readonly AttachmentRecord[];
    /** host-local's leases, by directory. */
    leases?: Readonly<Record<string, readonly Lease[]>>;
    /** The interfaces of other attachments of the container, by name. */
    claimed?: readonly string[];
    /** The addresses in libcni's cache. */
    holdings?: readonly Holding[];
  } = {},
): Records {
  const kept = records.map((record) => ({ file: recordFile(record), record }));
  const all = [
    ...kept.map(({ file, record }) => ({ file, owner: record, record, isLive: live.includes(record) })),
    ...files,
  ];
  return {
    has: (file) => all.some((one) => one.file === file),
    find: (key) => kept.find(({ file }) => file === recordFile(key)),
    ofAttachment: (key) => kept.filter(({ file }) => file.startsWith(recordFile({ ...key, ifName: "" }))),
    mayShareLeases: (record) =>
      records.some(
        (one) =>
          recordFile(one) !== recordFile(record) &&
          one.ifName === record.ifName &&
          one.containerId === record.containerId &&
          one.delegateNetwork === record.delegateNetwork,
      ),
    belongsToAnother: (key) => claimed.includes(key.ifName),
    leases: (directory, isWanted) => (leases[directory] ?? []).filter(({ address }) => isWanted(address)),
    leasesOf: (address) =>
      Object.values(leases)
        .flat()
        .filter((lease) => lease.address === address),
    ofMeta: (key, delegate) =>
      all.map(({ file }) => file).filter((file) => file.startsWith(`${metaRecordFile(key, delegate)}-`)),
    read: (files) => all.flatMap(({ file, record }) => (record && files.includes(file) ? [record] : [])),
    unfinished: (key) =>
      all.map(({ file }) => file).filter((file) => file.startsWith(`${recordDirectory}/.${unfinishedPrefix(key)}`)),
    ofNetwork: (network) => all.filter(({ owner }) => owner.network === network),
    holdings: () => [
      ...all.flatMap(({ record }) =>
        record ? [{ containerId: record.containerId, addresses: record.addresses }] : [],
      ),
      ...holdings,
    ],
  };
}

function unfinishedPrefix({ network, containerId, runtimeIfName }: RecordKey): string {
  return `${network}:${containerId}:${runtimeIfName}:`;
}

/** No record at all. */
export const noRecords = keptRecords();
