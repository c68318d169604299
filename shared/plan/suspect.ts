import type { JsonObject } from "../protocol/json.ts";
import { wrapperKeys } from "../protocol/shapes.ts";

const ownKeys = ` ${wrapperKeys.join(" ")} `.toLowerCase();

/**
 * Whether a plugin configuration may have keys that are meant for the wrapper and stand in the wrong place. A quick look, as
 * every call takes it: `misplacedKeys` looks closely.
 */
export function hasSuspectKey(configuration: JsonObject): boolean {
  for (const key in configuration) {
    if (key.length > 8 || key === "wrapper" || key === "name" || key === "type") continue;
    const lower = key.toLowerCase();
    if (lower === "ipam" ? hasBlock(configuration[key]) : isSuspect(lower)) return true;
  }
  return false;
}

// One edit leaves the beginning of "wrapper" as it is, or its end.
function isSuspect(lower: string): boolean {
  return lower.startsWith("wra") || lower.endsWith("pper") || ownKeys.includes(` ${lower} `);
}

function hasBlock(ipam: unknown): boolean {
  for (const key in ipam as JsonObject) if (key.length === 7 && key.toLowerCase() === "wrapper") return true;
  return false;
}
