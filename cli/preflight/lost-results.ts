import { statSync } from "node:fs";
import { join } from "node:path";
import { readFile } from "../../shared/host/node/files.ts";
import { type AttachmentRecord, cachedResultFile, parseRecord, recordDirectory } from "../../shared/record/record.ts";
import type { CachedAttachment } from "../live/cached-results.ts";

/**
 * Returns the live attachments that have records, and no result in libcni's cache. The runtime runs their CHECK without one. A
 * record without `made` belongs to an ADD that still runs.
 */
export function withLostResult(
  records: readonly AttachmentRecord[],
  namespaceAt: (netns: string) => string | undefined = currentNamespace,
): readonly CachedAttachment[] {
  const live = records.filter(({ made, netns, namespace }) => made !== undefined && namespaceAt(netns) === namespace);
  const byFile = new Map(live.map((record) => [cachedResultFile(record), record]));
  return [...byFile].map(([file, { network, containerId, runtimeIfName, netns }]) => {
    const unknown = { list: undefined, args: [], capabilityArgs: {}, result: undefined };
    return { file, network, containerId, ifName: runtimeIfName, netns, ...unknown };
  });
}

/** Reads the records with these file names. A container may go meanwhile. */
export function readRecords(names: readonly string[]): readonly AttachmentRecord[] {
  return names.flatMap((name) => parseRecord(join(recordDirectory, name), readFile(join(recordDirectory, name))) ?? []);
}

function currentNamespace(netns: string): string | undefined {
  const file = statSync(netns, { throwIfNoEntry: false });
  return file && `${file.dev}:${file.ino}`;
}
