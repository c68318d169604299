import { existsSync } from "node:fs";
import { type CachedAttachment, isAttachment, readCachedResults } from "./cached-results.ts";
import { type HostPaths, usualCacheDirectory } from "./host-paths.ts";

/** Reads the attachments that a command is about. */
export function wantedAttachments(paths: HostPaths): readonly CachedAttachment[] {
  const { cacheDirectory, network, containerId = "" } = paths;
  // A host that never had a container has no cache. Another directory was named by somebody, who must know.
  if (cacheDirectory === usualCacheDirectory && !existsSync(`${cacheDirectory}/results`)) return [];
  return readCachedResults(cacheDirectory)
    .filter(isAttachment)
    .filter((attachment) => network === undefined || attachment.network === network)
    .filter((attachment) => attachment.containerId.startsWith(containerId))
    .filter(isOfAList);
}

// Every runtime that uses go-cni attaches `lo` in a network of its own, which no file defines.
function isOfAList({ network }: CachedAttachment): boolean {
  return network !== "cni-loopback";
}
