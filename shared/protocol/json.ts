/** A JSON object whose keys are not all known; what is not known is carried along. */
export interface JsonObject {
  [key: string]: unknown;
}

/** Whether a parsed JSON value is an object, neither null nor a list. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The JSON object that a text is; undefined if it is anything else. */
export function parseJsonObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a text is JSON, or might be, and is nested more deeply than the engine can follow. */
export function isTooDeep(text: string): boolean {
  try {
    JSON.parse(text);
    return false;
  } catch (error) {
    return error instanceof RangeError;
  }
}

/**
 * The value that a Go program finds under `key`: encoding/json matches names without regard to case, and the last one wins.
 */
export function goLookup(object: JsonObject, key: string): unknown {
  const wanted = key.toLowerCase();
  const isMeant = (name: string): boolean => name.length === wanted.length && name.toLowerCase() === wanted;
  const last = Object.keys(object).filter(isMeant).at(-1);
  return last === undefined ? undefined : object[last];
}

/** Whether two JSON values say the same, whatever the order of their keys. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((item, i) => sameJson(item, b[i]));
  if (!isJsonObject(a) || !isJsonObject(b)) return a === b;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && sameJson(a[key], b[key]))
  );
}
