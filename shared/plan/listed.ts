import { jsonText } from "../protocol/json-text.ts";
import type { Request } from "../protocol/request.ts";
import type { Target } from "./target.ts";

/**
 * Identifies a meta plugin's configuration in its list: its type, and a checksum of the configuration in the list. The
 * runtime sends the same bytes for every try.
 */
export function instanceOf({ configuration }: Request, { delegate }: Target): string {
  const { prevResult: _result, runtimeConfig: _runtime, ...listed } = configuration;
  return `${delegate}-${checksum(listed)}`;
}

/**
 * Returns a checksum of a creator's configuration. It differs between plugins of one type, and does not depend on the
 * interface's name in the list.
 */
export function listedAs({ configuration }: Request): string {
  const given = ["prevResult", "runtimeConfig", "wrapper", "cniVersion"];
  // GC's lists of attachments have keys with this prefix.
  const listed = Object.entries(configuration).filter(([key]) => !given.includes(key) && !key.startsWith("cni.dev/"));
  return checksum(listed);
}

// FNV-1a, 32 bits: enough to tell a few configurations apart.
function checksum(value: unknown): string {
  const text = jsonText(value);
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return (hash >>> 0).toString(16);
}
