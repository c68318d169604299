import { cachedResultFile } from "../../shared/journal/host-files.ts";
import { type Entry, isSameNamespace, isStanding } from "../../shared/journal/journal.ts";
import { entriesIn, keyOf, Memory, type MemoryFile } from "../host/memory.ts";
import type { CachedAttachment } from "./cached-results.ts";
import { type HostPaths, usualCacheDirectory } from "./host-paths.ts";
import { namespacePath } from "./namespaces.ts";
import { type Attachments, isWanted, readAttachments } from "./wanted.ts";

/** Returns the attachments of a host, also those whose results are lost. */
export function everyAttachment(paths: HostPaths, leaveOut: (line: string) => void): Attachments {
  const { wanted, all } = readAttachments(paths, leaveOut);
  // The results of another directory are another runtime's.
  if (paths.cacheDirectory !== usualCacheDirectory) return { wanted, all };
  const strays = straysAmong(all, [], new Memory().files());
  const lost = withLostResult(entriesIn(strays.memories.flatMap(({ journal }) => journal ?? [])));
  return { wanted: [...wanted, ...lost.filter((one) => isWanted(paths, one))], all: [...all, ...lost] };
}

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

/** What lies on the host and belongs to no attachment. */
export interface Strays {
  /** Namespaces that no attachment names. */
  readonly namespaces: readonly string[];
  /** Journals of the wrappers, and records of 0.2.0, whose container has no attachment. */
  readonly memories: readonly MemoryFile[];
}

/** Finds the namespaces and the wrappers' files that no attachment needs. */
export function straysAmong(
  attachments: readonly CachedAttachment[],
  namespaces: readonly string[],
  memories: readonly MemoryFile[],
): Strays {
  const paths = new Set(attachments.map(({ netns }) => namespacePath(netns)));
  const owners = new Set(attachments.map(keyOf));
  return {
    namespaces: namespaces.filter((path) => !paths.has(namespacePath(path))),
    memories: memories.filter((one) => !owners.has(keyOf(one))),
  };
}
