import { CniError } from "../protocol/errors.ts";
import { goLookup, isJsonObject, type JsonObject } from "../protocol/json.ts";
import { wrapperKeys } from "../protocol/shapes.ts";
import type { Plan } from "./plan.ts";
import { warning } from "./plan-hand-over.ts";

/** The keys of the wrapper block, in lower case, that no wrapped plugin has. CNI itself has `args`. */
const ownKeys = new Map(wrapperKeys.filter((key) => key !== "args").map((key) => [key.toLowerCase(), key]));

/**
 * Returns an error for each key of the wrapper that is in the wrong place, where it would be ignored. A plugin that the
 * wrapper does not know may have its own key with a name like `ifName`.
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

// One letter added, removed or changed.
function isWithinOneEdit(a: string, b: string): boolean {
  const shorter = Math.min(a.length, b.length);
  let start = 0;
  while (start < shorter && a[start] === b[start]) start++;
  let end = 0;
  while (end < shorter - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  return Math.max(a.length, b.length) - start - end <= 1;
}

/** Returns the plan with a warning for each misplaced key: an existing attachment must pass CHECK and be removable. */
export function withWarnings(plan: Plan, misplaced: readonly CniError[]): Plan {
  const notes = misplaced.map(({ message }) => message);
  if (plan.do === "handOver") return { ...plan, effects: [...notes.map(warning), ...plan.effects] };
  if (plan.do !== "remove") return plan;
  const [first, ...others] = plan.removals;
  return first ? { ...plan, removals: [{ ...first, notes: [...first.notes, ...notes] }, ...others] } : plan;
}
