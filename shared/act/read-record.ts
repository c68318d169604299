import type { Host } from "../host/host.ts";
import { parseRecord } from "../record/parse-record.ts";
import { type KeptRecord, recordFile } from "../record/record.ts";

/** Reads the record of an interface that a creator made. It ignores meta plugins' records, which have longer names. */
export function readRecord(host: Host, file: string): KeptRecord | undefined {
  const record = parseRecord(file, host.readFile(file));
  return record && file === recordFile(record) ? { file, record } : undefined;
}
