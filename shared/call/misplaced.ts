import { CniError } from "../protocol/errors.ts";
import { goLookup, isJsonObject, type JsonObject } from "../protocol/json.ts";
import { wrapperKeys } from "../protocol/shapes.ts";

/** The keys of the wrapper block, in lower case, that no wrapped plugin has. CNI itself has `args`. */
const ownKeys = new Map(wrapperKeys.filter((key) => key !== "args").map((key) => [key.toLowerCase(), key]));

const block = "wrapper";

/** `wrapper` with one more letter, and `delegate`. */
const longestKey = 8;

/**
 * Returns an error for each key of the wrapper that is in the wrong place, where it would be ignored. A plugin that the
 * wrapper does not know may have its own key with a name like `ifName`.
 */
export function misplacedKeys(configuration: JsonObject, isKnownPlugin: boolean): CniError[] {
  const found: CniError[] = [];
  for (const key in configuration) {
    const error = key.length <= longestKey ? misplacedKey(key, isKnownPlugin) : undefined;
    if (error) found.push(error);
  }
  const ipam = goLookup(configuration, "ipam");
  if (!isJsonObject(ipam)) return found;
  for (const key in ipam)
    if (key.length === block.length && key.toLowerCase() === block)
      found.push(misplaced(`ipam.${key}`, 'Move the block out of "ipam"'));
  return found;
}

function misplacedKey(key: string, isKnownPlugin: boolean): CniError | undefined {
  const lower = key.toLowerCase();
  const own = isKnownPlugin ? ownKeys.get(lower) : undefined;
  if (own !== undefined) return misplaced(key, `Write "wrapper": { "${own}": ... }`);
  if (key === block || !isWithinOneEdit(lower, block)) return undefined;
  return misplaced(key, 'The block is called "wrapper"');
}

function misplaced(key: string, what: string): CniError {
  return new CniError("misplacedKey", key, what);
}

// One letter added, removed or changed.
function isWithinOneEdit(a: string, b: string): boolean {
  const shorter = Math.min(a.length, b.length);
  let start = 0;
  while (start < shorter && a[start] === b[start]) start++;
  let end = 0;
  while (end < shorter - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  return Math.max(a.length, b.length) - start - end <= 1;
}
