import { resolve } from "node:path";
import type { CniResult } from "../../shared/protocol/result.ts";
import { attachmentOf, isAttachment, readCachedResults } from "../live/cached-results.ts";
import type { Attachment } from "../live/libcni.ts";
import { Trouble } from "../trouble.ts";

/** An attachment in libcni's cache, and its result. */
export interface Cached {
  readonly attachment: Attachment;
  readonly result: CniResult;
}

/**
 * Reads a container's attachment to a network from libcni's cache. The id may be the beginning of the container's id. Throws
 * Trouble if there is none, or if there are several.
 */
export function readCache(cacheDirectory: string, network: string, container: string, directory: string): Cached {
  const cache = resolve(directory, cacheDirectory);
  const ofNetwork = readCachedResults(cache)
    .filter(isAttachment)
    .filter((one) => one.network === network);
  const begins = ofNetwork.filter(({ containerId }) => containerId.startsWith(container));
  const exact = begins.filter(({ containerId }) => containerId === container);
  const [only, another] = exact.length > 0 ? exact : begins;
  if (only?.result === undefined)
    throw new Trouble(`${cache}/results: there is no attachment of ${container} to the network ${network}`);
  if (another !== undefined)
    throw new Trouble(`${cache}/results: several attachments begin with ${network}-${container}`);
  return { attachment: attachmentOf(only, "/opt/cni/bin"), result: only.result };
}
