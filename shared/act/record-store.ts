import type { Host } from "../host/host.ts";
import { parseRecord } from "../record/parse-record.ts";
import { type LeaseOwner, type RecordKey, type Records, recordFile } from "../record/record.ts";
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

/**
 * Answers questions about the records on a host. It reads nothing before a question needs it. It is a class for the reason of
 * SlimHost.
 */
export class HostRecords implements Records {
  readonly #host: Host;

  constructor(host: Host) {
    this.#host = host;
  }

  has(file: string) {
    return this.#host.stat(file) !== undefined;
  }

  find(key: RecordKey) {
    return readRecord(this.#host, recordFile(key));
  }

  ofAttachment(key: RecordKey) {
    return recordsOfAttachment(this.#host, key);
  }

  mayShareLeases(record: LeaseOwner) {
    return mayShareLeases(this.#host, record);
  }

  belongsToAnother(key: RecordKey, netns: string, made?: number) {
    return belongsToAnother(this.#host, key, netns, made);
  }

  leases(directory: string, isWanted: (address: string) => boolean) {
    return leasesOf(this.#host, directory, isWanted);
  }

  leasesOf(address: string) {
    return leasesOfAddress(this.#host, address);
  }

  ofMeta(key: RecordKey, delegate: string) {
    return filesOfMeta(this.#host, key, delegate);
  }

  read(files: readonly string[]) {
    return files.flatMap((file) => parseRecord(file, this.#host.readFile(file)) ?? []);
  }

  unfinished(key: RecordKey) {
    return unfinishedFiles(this.#host, recordFile({ ...key, ifName: "" })).map(({ file }) => file);
  }

  ofNetwork(network: string) {
    return filesOfNetwork(this.#host, network);
  }

  holdings() {
    return holdingsOn(this.#host);
  }
}
