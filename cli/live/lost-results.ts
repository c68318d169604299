import { cachedResultFile } from "../../shared/journal/cached-result.ts";
import { type Entry, isSameNamespace, isStanding } from "../../shared/journal/journal.ts";
import { Memory } from "../host/memory.ts";
import type { CachedAttachment } from "./cached-results.ts";

/**
 * Returns the live attachments that have entries, and no result in libcni's cache. The runtime runs their CHECK without one. An
 * entry that is not done belongs to an ADD that still runs.
 */
export function withLostResult(
  entries: readonly Entry[],
  namespaceAt: (path: string) => Entry["namespace"] | undefined = (path) => new Memory().namespace(path),
): readonly CachedAttachment[] {
  const live = entries.filter((entry) => {
    return entry.done && isStanding(entry) && isSameNamespace(entry.namespace, namespaceAt(entry.namespace.path));
  });
  const byFile = new Map(live.map((entry) => [cachedResultFile(entry), entry]));
  return [...byFile].map(([file, { network, containerId, runtimeIfName, namespace }]) => {
    const unknown = { text: "", list: undefined, args: [], capabilityArgs: {}, result: undefined };
    return { file, network, containerId, runtimeIfName, netns: namespace.path, ...unknown };
  });
}
