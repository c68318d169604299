import type { AttachmentKey } from "../../shared/journal/journal.ts";
import type { MemoryFile } from "../host/memory.ts";
import type { CachedAttachment } from "./cached-results.ts";
import { namespacePath } from "./namespaces.ts";

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

function keyOf({ network, containerId, runtimeIfName }: AttachmentKey): string {
  return `${network}:${containerId}:${runtimeIfName}`;
}
