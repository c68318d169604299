import { entriesIn, Memory } from "../host/memory.ts";
import { type HostPaths, usualCacheDirectory } from "./host-paths.ts";
import { withLostResult } from "./lost-results.ts";
import { straysAmong } from "./strays.ts";
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
