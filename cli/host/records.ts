import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { readFile } from "../../shared/host/node/files.ts";
import { parseRecord } from "../../shared/record/parse-record.ts";
import { type AttachmentRecord, recordDirectory } from "../../shared/record/record.ts";

/** Returns the file names of the wrappers' records on this host. */
export function recordNames(): readonly string[] {
  return existsSync(recordDirectory) ? readdirSync(recordDirectory) : [];
}

/** Reads the records with these file names. A container may go meanwhile. */
export function readRecords(names: readonly string[], directory = recordDirectory): readonly AttachmentRecord[] {
  return names.flatMap((name) => parseRecord(`${recordDirectory}/${name}`, readFile(join(directory, name))) ?? []);
}
