import { CniError } from "../protocol/errors.ts";
import { goLookup, isJsonObject, type JsonObject } from "../protocol/json.ts";
import { wrapperKeys } from "../protocol/shapes.ts";

/** The keys of the wrapper block that no wrapped plugin has, in lower case. CNI itself has `args`. */
const ownKeys = new Map(wrapperKeys.filter((key) => key !== "args").map((key) => [key.toLowerCase(), key]));

/**
 * The keys meant for the wrapper that stand in the wrong place of a plugin configuration, where nobody reads them. A plugin
 * that the wrapper does not know may have a key like `ifName` of its own.
 */
export function misplacedKeys(configuration: JsonObject, isKnownPlugin: boolean): CniError[] {
  const ipam = goLookup(configuration, "ipam");
  return [
    ...Object.keys(configuration).flatMap((key) => misplacedKey(key, isKnownPlugin)),
    ...(isJsonObject(ipam) ? Object.keys(ipam).flatMap(misplacedBlock) : []),
  ];
}

function misplacedKey(key: string, isKnownPlugin: boolean): CniError[] {
  const lower = key.toLowerCase();
  const own = isKnownPlugin ? ownKeys.get(lower) : undefined;
  if (own !== undefined) return [misplaced(key, `Write "wrapper": { "${own}": ... }`)];
  if (key === "wrapper" || !isWithinOneEdit(lower, "wrapper")) return [];
  return [misplaced(key, 'The block is called "wrapper"')];
}

function misplacedBlock(key: string): CniError[] {
  return key.toLowerCase() === "wrapper" ? [misplaced(`ipam.${key}`, 'Move the block out of "ipam"')] : [];
}

function misplaced(key: string, what: string): CniError {
  return new CniError("misplacedKey", key, what);
}

// One letter more, less or other.
function isWithinOneEdit(a: string, b: string): boolean {
  const shorter = Math.min(a.length, b.length);
  let start = 0;
  while (start < shorter && a[start] === b[start]) start++;
  let end = 0;
  while (end < shorter - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  return Math.max(a.length, b.length) - start - end <= 1;
}
