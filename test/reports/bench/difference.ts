import { isDeepStrictEqual } from "node:util";

/**
 * Returns the first difference between two JSON values, or undefined if there is none. The order of keys does not
 * matter.
 */
export function firstDifference(ours: unknown, theirs: unknown, at = ""): string | undefined {
  if (isDeepStrictEqual(ours, theirs)) return undefined;
  if (!isContainer(ours) || !isContainer(theirs)) return `${at || "it"} is ${words(theirs)} instead of ${words(ours)}`;
  const keys = new Set([...Object.keys(ours), ...Object.keys(theirs)]);
  const differences = [...keys].map((key) => firstDifference(ours[key], theirs[key], at ? `${at}.${key}` : key));
  return differences.find((difference) => difference !== undefined);
}

function isContainer(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

function words(value: unknown): string {
  return JSON.stringify(value) ?? "nothing";
}
