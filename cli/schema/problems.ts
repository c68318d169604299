import * as z from "zod";
import { isJsonObject } from "../../shared/protocol/json.ts";
import { pathWords } from "../../shared/protocol/shapes.ts";
import { nameIn } from "./go-view.ts";

/** A part of a value that its schema refuses. */
export type Problem = ReturnType<typeof problemsOf>[number];

/**
 * Returns all that a schema refuses in a value. `original` is the value in the file, if `value` is a view of it. The path of a
 * problem has the keys as the file spells them, and the last ones may be missing there. Its message has no path.
 */
export function problemsOf(schema: z.core.$ZodType, value: unknown, original = value) {
  // zod compares the `length` of whatever has one, and names the constructor of an object with another prototype than usual. A
  // list's objects have none, so it throws for one of those; a copy has.
  const { error } = z.safeParse(schema, structuredClone(value));
  const issues = error?.issues.filter((issue) => !("origin" in issue && issue.origin === "unknown")) ?? [];
  return issues.map((issue) => {
    const { path, found } = spelledPath(original, issue.path);
    return { path, value: found, message: found === undefined ? "is missing" : words(issue), issue };
  });
}

/** Names a problem's place and what is wrong there. `root` is the name of the value itself. */
export function problemText({ path, message }: Problem, root = ""): string {
  return `${pathWords(root, path)} ${message}`;
}

/** Follows a path through a value whose keys may be in another case. */
function spelledPath(value: unknown, path: readonly PropertyKey[]): { path: (string | number)[]; found: unknown } {
  const spelled: (string | number)[] = [];
  let found = value;
  for (const step of path) {
    const key = typeof step === "number" ? step : String(step);
    const name = typeof key === "string" && isJsonObject(found) ? (nameIn(found, key) ?? key) : key;
    spelled.push(name);
    found = (found as Record<string | number, unknown> | null | undefined)?.[name];
  }
  return { path: spelled, found: found ?? undefined };
}

/** The wrappers' own words, and those for what only the schemas of the commands have. */
function words(issue: z.core.$ZodIssue): string {
  if (issue.code === "too_small") return `must be at least ${issue.minimum}`;
  if (issue.code === "too_big" && issue.origin === "string") return `must have at most ${issue.maximum} characters`;
  if (issue.code === "too_big") return `must be at most ${issue.maximum}`;
  if (issue.code === "invalid_type") return `must be ${typeWords[issue.expected] ?? `a ${issue.expected}`}`;
  if (issue.code === "invalid_value")
    return `must be ${issue.values.map((value) => JSON.stringify(value)).join(" or ")}`;
  return issue.message;
}

const typeWords: Readonly<Record<string, string>> = {
  array: "a list",
  int: "a whole number",
  object: "an object",
  record: "an object",
};
