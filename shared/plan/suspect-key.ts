import type { JsonObject } from "../protocol/json.ts";
import { wrapperKeys } from "../protocol/shapes.ts";

/** The keys of a `wrapper` block in lower case. */
const ownKeys: ReadonlySet<string> = new Set(wrapperKeys.map((key) => key.toLowerCase()));

/**
 * Whether a plugin configuration may have keys of the wrapper in the wrong place. Every call runs this quick check;
 * `misplacedKeys` checks in detail.
 */
export function hasSuspectKey(configuration: JsonObject): boolean {
  for (const key in configuration) {
    if (key.length > 8 || key === "wrapper" || key === "name" || key === "type") continue;
    const lower = key.toLowerCase();
    if (lower === "ipam" ? hasBlock(configuration[key]) : isSuspect(lower)) return true;
  }
  return false;
}

// One edit keeps either the beginning or the end of "wrapper".
function isSuspect(lower: string): boolean {
  return lower.startsWith("wra") || lower.endsWith("pper") || ownKeys.has(lower);
}

function hasBlock(ipam: unknown): boolean {
  for (const key in ipam as JsonObject) if (key.length === 7 && key.toLowerCase() === "wrapper") return true;
  return false;
}
