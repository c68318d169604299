import * as z from "zod";
import { isJsonObject } from "../../shared/protocol/json.ts";
import { nameIn, shapeOf, withoutOptional } from "./go-view.ts";

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
