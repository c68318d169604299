import type { Host } from "../host/host.ts";
import { parseRecord } from "../record/parse-record.ts";
import { type Records, recordFile } from "../record/record.ts";
import { readRecord } from "./read-record.ts";
import {
  belongsToAnother,
  filesOfMeta,
  filesOfNetwork,
  holdingsOn,
  leasesOf,
  leasesOfAddress,
  mayShareLeases,
  recordsOfAttachment,
  unfinishedFiles,
} from "./record-search.ts";

/** Answers questions about the records on a host. It reads nothing before a question needs it. */
export function recordsOn(host: Host): Records {
  return {
    has: (file) => host.stat(file) !== undefined,
    find: (key) => readRecord(host, recordFile(key)),
    ofAttachment: (key) => recordsOfAttachment(host, key),
    mayShareLeases: (record) => mayShareLeases(host, record),
    belongsToAnother: (key, netns, made) => belongsToAnother(host, key, netns, made),
    leases: (directory, isWanted) => leasesOf(host, directory, isWanted),
    leasesOf: (address) => leasesOfAddress(host, address),
    ofMeta: (key, delegate) => filesOfMeta(host, key, delegate),
    read: (files) => files.flatMap((file) => parseRecord(file, host.readFile(file)) ?? []),
    unfinished: (key) => unfinishedFiles(host, recordFile({ ...key, ifName: "" })).map(({ file }) => file),
    ofNetwork: (network) => filesOfNetwork(host, network),
    holdings: () => holdingsOn(host),
  };
}
