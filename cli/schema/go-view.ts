import * as z from "zod";
import { isJsonObject } from "../../shared/protocol/json.ts";
import { pathWords } from "../../shared/protocol/shapes.ts";
import { once } from "../once.ts";

/**
 * Returns a value as a Go program decodes it into the schema's shape. The case of a key does not matter. `null` is the same as
 * no key, and so is an empty text for a key with a few known values: both stay if `keepsEmpty`.
 */
export function goView(value: unknown, schema: z.core.$ZodType | undefined, keepsEmpty = false): unknown {
  const inner = withoutOptional(schema);
  if (inner instanceof z.ZodArray && Array.isArray(value))
    return value.map((item) => goView(item, inner.element, keepsEmpty));
  const shape = shapeOf(inner);
  if (!shape || !isJsonObject(value)) return value;
  const view = Object.entries(value).map(([key, item]) => {
    const name = nameIn(shape, key) ?? key;
    return [name, goView(item, shape[name], keepsEmpty)] as const;
  });
  const isChoice = (name: string) => withoutOptional(shape[name]) instanceof z.ZodEnum;
  const isEmpty = (name: string, item: unknown) => item === null || (item === "" && isChoice(name));
  return Object.fromEntries(view.filter(([name, item]) => keepsEmpty || !isEmpty(name, item)));
}

/** Returns the schemas of an object's keys, or undefined for a schema of something else. */
export function shapeOf(schema: z.core.$ZodType | undefined): Readonly<Record<string, z.core.$ZodType>> | undefined {
  const inner = withoutOptional(schema);
  return inner instanceof z.ZodObject ? inner.shape : undefined;
}

/** Returns the schema's spelling of a key; undefined if it has no such key. */
export function nameIn(shape: object, key: string): string | undefined {
  return Object.hasOwn(shape, key) ? key : spellingsOf(shape).get(key.toLowerCase());
}

// A thousand lists ask for the same few shapes.
const spellingsOf = once((shape: object) => new Map(Object.keys(shape).map((name) => [name.toLowerCase(), name])));

/** Returns the schema without the mark that says that the value may be missing. */
function withoutOptional(schema: z.core.$ZodType | undefined): z.core.$ZodType | undefined {
  return schema instanceof z.ZodOptional ? schema.unwrap() : schema;
}

/** A key that no schema has. */
export interface UnknownKey {
  readonly path: readonly (string | number)[];
  readonly key: string;
  /** The keys that the last schema has there. */
  readonly known: readonly string[];
}

/** Returns the keys of a value, at any depth, that none of the schemas has. Keys for comments are left out. */
export function unknownKeysOf(
  value: unknown,
  schemas: readonly (z.core.$ZodType | undefined)[],
  path: readonly (string | number)[] = [],
): readonly UnknownKey[] {
  const inner = schemas.map(withoutOptional).filter((schema) => schema !== undefined);
  if (Array.isArray(value)) {
    const elements = inner.flatMap((schema) => (schema instanceof z.ZodArray ? [schema.element] : []));
    return value.flatMap((item, index) => unknownKeysOf(item, elements, [...path, index]));
  }
  const shapes = inner.map(shapeOf).filter((shape) => shape !== undefined);
  if (!isJsonObject(value) || shapes.length === 0 || inner.some(isOpen)) return [];
  const known = Object.keys(shapes.at(-1) ?? {});
  return Object.entries(value).flatMap(([key, item]) => {
    const found = shapes.flatMap((shape) => shape[nameIn(shape, key) ?? ""] ?? []);
    if (found.length > 0) return unknownKeysOf(item, found, [...path, key]);
    return isComment(key) ? [] : [{ path: [...path, key], key, known }];
  });
}

/** Whether an object may have other keys than those of the schema. */
function isOpen(schema: z.core.$ZodType): boolean {
  return schema instanceof z.ZodObject && schema.def.catchall !== undefined;
}

// JSON has no comments, so people write them as keys.
function isComment(key: string): boolean {
  return /^(?:[_#$/]|x-)|comment|description|^notes?$/i.test(key);
}

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

/** Names a problem's place and what is wrong there. */
export function problemText({ path, message }: Problem): string {
  return `${pathWords("", path)} ${message}`;
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
