import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

interface Cached {
  readonly networkName?: string | undefined;
  readonly containerId?: string | undefined;
  readonly [key: string]: unknown;
}

/** Writes an attachment into libcni's cache in a directory, as a runtime does after ADD. Returns the text. */
export function writeResult(cache: string, { networkName = "zone", containerId = "c1", ...more }: Cached = {}): string {
  const text = JSON.stringify({ kind: "cniCacheV1", containerId, ifName: "eth0", networkName, ...more });
  mkdirSync(join(cache, "results"), { recursive: true });
  writeFileSync(join(cache, "results", `${networkName}-${containerId}-eth0`), text);
  return text;
}
