import { stat } from "../../shared/host/node/files.ts";
import { type AttachmentRecord, cachedResultFile, namespaceOf } from "../../shared/record/record.ts";
import type { CachedAttachment } from "../live/cached-results.ts";

/**
 * Returns the live attachments that have records, and no result in libcni's cache. The runtime runs their CHECK without one. A
 * record without `made` belongs to an ADD that still runs.
 */
export function withLostResult(
  records: readonly AttachmentRecord[],
  namespaceAt: (netns: string) => string | undefined = (netns) => namespaceOf(stat(netns)),
): readonly CachedAttachment[] {
  const live = records.filter(({ made, netns, namespace }) => made !== undefined && namespaceAt(netns) === namespace);
  const byFile = new Map(live.map((record) => [cachedResultFile(record), record]));
  return [...byFile].map(([file, { network, containerId, runtimeIfName, netns }]) => {
    const unknown = { list: undefined, args: [], capabilityArgs: {}, result: undefined };
    return { file, network, containerId, ifName: runtimeIfName, netns, ...unknown };
  });
}
