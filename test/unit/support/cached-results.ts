import { join } from "node:path";
import type { CachedAttachment } from "../../../cli/live/cached-results.ts";
import { writeFile } from "./written.ts";

interface Cached {
  readonly networkName?: string | undefined;
  readonly containerId?: string | undefined;
  readonly [key: string]: unknown;
}

/** An attachment as a command has read it, without addresses. */
export function cachedAttachment(changes: Partial<CachedAttachment> = {}): CachedAttachment {
  return {
    ...{ file: "", text: "", network: "zone", containerId: "c1", runtimeIfName: "eth0", netns: "/run/netns/c1" },
    ...{ list: undefined, args: [], capabilityArgs: {}, result: undefined },
    ...changes,
  };
}

/** The list of an attachment as libcni keeps it in its cache. */
export function configOf(plugins: readonly object[], more: object = {}): string {
  return Buffer.from(JSON.stringify({ cniVersion: "1.0.0", name: "zone", plugins, ...more })).toString("base64");
}

/** Writes an attachment into libcni's cache in a directory, as a runtime does after ADD. Returns the text. */
export function writeResult(cache: string, { networkName = "zone", containerId = "c1", ...more }: Cached = {}): string {
  const text = JSON.stringify({ kind: "cniCacheV1", containerId, ifName: "eth0", networkName, ...more });
  writeFile(join(cache, "results", `${networkName}-${containerId}-eth0`), text);
  return text;
}
