/** A JSON object. Keys that the wrapper does not know are kept. */
export interface JsonObject {
  [key: string]: unknown;
}

/** Whether a parsed JSON value is an object, not null and not a list. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Parses a text as a JSON object; undefined if it is anything else. */
export function parseJsonObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Whether the engine gives up on a JSON text because it is nested too deeply. */
export function isTooDeep(text: string): boolean {
  try {
    JSON.parse(text);
    return false;
  } catch (error) {
    return error instanceof RangeError;
  }
}

/**
 * Returns the value that a Go program finds under `key`: encoding/json ignores the case of names, and the last match wins.
 */
export function goLookup(object: JsonObject, key: string): unknown {
  const wanted = key.toLowerCase();
  let found: unknown;
  for (const name in object) if (name.length === wanted.length && name.toLowerCase() === wanted) found = object[name];
  return found;
}

/** Whether two JSON values are equal. The order of keys does not matter. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((item, i) => sameJson(item, b[i]));
  if (!isJsonObject(a) || !isJsonObject(b)) return a === b;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && sameJson(a[key], b[key]))
  );
}
