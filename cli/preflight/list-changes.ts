import { isJsonObject, type JsonObject } from "../../shared/protocol/json.ts";

/**
 * Returns the paths of the keys that differ between the list at the time of ADD and the current one, such as
 * `plugins[1].ipam.ranges`. Plugins are compared by their place.
 */
export function changedKeys(before: JsonObject, after: JsonObject): readonly string[] {
  return differences(before, after, "");
}

function differences(before: unknown, after: unknown, path: string): readonly string[] {
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  const [one, other] = [childrenOf(before), childrenOf(after)];
  if (!one || !other || Array.isArray(before) !== Array.isArray(after)) return [path];
  const keys = [...new Set([...Object.keys(one), ...Object.keys(other)])];
  return keys.flatMap((key) => differences(one[key], other[key], pathOf(path, key, Array.isArray(after))));
}

// Lists of texts and numbers differ as a whole.
function childrenOf(value: unknown): JsonObject | undefined {
  if (isJsonObject(value)) return value;
  const hasObjects = Array.isArray(value) && value.some(isJsonObject);
  return hasObjects ? Object.fromEntries(value.entries()) : undefined;
}

function pathOf(path: string, key: string, isIndex: boolean): string {
  if (isIndex) return `${path}[${key}]`;
  return path === "" ? key : `${path}.${key}`;
}
