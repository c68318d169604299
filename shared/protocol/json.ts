import { CniError } from "./errors.ts";

/** A JSON object. Keys that the wrapper does not know are kept. */
export interface JsonObject {
  [key: string]: unknown;
}

/** Whether a parsed JSON value is an object, not null and not a list. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns a JSON object, or an empty one in place of something else. */
export function objectOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

/** Returns the JSON objects of a list; none of what is no list. */
export function objectsOf(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

/** How many commas and opening brackets a JSON text may have. An engine needs up to 100 bytes for a value of two. */
const signsLimit = 500_000;
export const tooManyValues = "it has more than 500,000 commas and opening brackets";

/** Whether a JSON text has too many values to parse it in little memory. */
export function hasTooManyValues(text: string): boolean {
  if (text.length <= signsLimit) return false;
  let left = signsLimit;
  for (const sign of [",", "[", "{"])
    for (let at = text.indexOf(sign); at >= 0; at = text.indexOf(sign, at + 1)) if (--left < 0) return true;
  return false;
}

/** Parses a text as a JSON object; undefined if it is anything else or has too many values. */
export function parseJsonObject(text: string): JsonObject | undefined {
  if (hasTooManyValues(text)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Parses an answer of ip(8) as a list of JSON objects, without what else is in it; undefined if it is no list. ip does not escape
 * control characters, and a container chooses the names of its links.
 */
export function parseJsonList(text: string): JsonObject[] | undefined {
  try {
    const value: unknown = JSON.parse(text.replace(/\p{Cc}/gu, " "));
    return Array.isArray(value) ? value.filter(isJsonObject) : undefined;
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

/** Returns the value that a Go program finds under `key`: encoding/json ignores the case of names, and the last match wins. */
export function goLookup(object: JsonObject, key: string): unknown {
  const last = goNames(object, key).at(-1);
  return last === undefined ? undefined : object[last];
}

/** Returns the `ipam` of a plugin's configuration, as a plugin in Go reads it; empty if it is no object. */
export function ipamOf(configuration: JsonObject): JsonObject {
  return objectOf(goLookup(configuration, "ipam"));
}

/** Returns the names in an object that a Go program reads as `key`. */
export function goNames(object: JsonObject, key: string): readonly string[] {
  const found: string[] = [];
  for (const name in object)
    if (name.length === key.length && (name === key || isSameInGo(name, key.toLowerCase()))) found.push(name);
  return found;
}

/** Returns the object with another value for what a Go program finds under `key`. */
export function withGoKey(object: JsonObject, key: string, value: unknown): JsonObject {
  const wanted = key.toLowerCase();
  const others = Object.entries(object).filter(([name]) => !isSameInGo(name, wanted));
  return { ...Object.fromEntries(others), [key]: value };
}

/**
 * Whether a Go program reads a name as the key `wanted`, which is in lower case. Go folds `ſ` to `s`, JavaScript does not.
 * Callers compare the lengths first, because few names pass that.
 */
export function isSameInGo(name: string, wanted: string): boolean {
  if (name === wanted) return true;
  const lower = name.toLowerCase();
  return lower === wanted || lower.replaceAll("ſ", "s") === wanted;
}

/** Returns the same text for equal JSON values: the order of keys does not matter. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, part) => (isJsonObject(part) ? inOrder(part) : part));
}

/** Returns the object with its keys sorted. */
export function inOrder(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** Writes a part of the configuration as JSON. Code 6 if it is nested too deeply or has a number like 1e400. */
export function jsonText(value: unknown): string {
  let text: string;
  try {
    text = JSON.stringify(value);
  } catch {
    throw new CniError("undecodableInput", "", "it is nested too deeply");
  }
  if (losesNumbers(value, text)) throw new CniError("undecodableInput", "", "it has a number that is too large");
  return text;
}

/** Whether a JSON text of a value has null for a number like 1e400, which JSON.parse turns into infinity. */
export function losesNumbers(value: unknown, text: string): boolean {
  // Nearly no text has null, and then there is nothing to look for.
  return text.includes("null") && hasInfinity(value);
}

// Without recursion, because some hundred levels of it would fill the engine's stack.
function hasInfinity(value: unknown): boolean {
  const left = [value];
  while (left.length > 0) {
    const one = left.pop();
    if (one === Number.POSITIVE_INFINITY || one === Number.NEGATIVE_INFINITY) return true;
    if (typeof one === "object" && one !== null) for (const part of Object.values(one)) left.push(part);
  }
  return false;
}
