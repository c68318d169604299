import * as z from "zod";
import { isJsonObject } from "../../shared/protocol/json.ts";

/**
 * Returns a value as a Go program decodes it into the schema's shape. The case of a key does not matter. `null` is the same as
 * no key, and so is an empty text for a key with a few known values.
 */
export function goView(value: unknown, schema: z.core.$ZodType | undefined): unknown {
  const inner = withoutOptional(schema);
  if (inner instanceof z.ZodArray && Array.isArray(value)) return value.map((item) => goView(item, inner.element));
  const shape = shapeOf(inner);
  if (!shape || !isJsonObject(value)) return value;
  const view = Object.entries(value).map(([key, item]) => {
    const name = nameIn(shape, key) ?? key;
    return [name, goView(item, shape[name])] as const;
  });
  return Object.fromEntries(view.filter(([name, item]) => item !== null && !isEmptyChoice(item, shape[name])));
}

/** Returns the schemas of an object's keys, or undefined for a schema of something else. */
export function shapeOf(schema: z.core.$ZodType | undefined): Readonly<Record<string, z.core.$ZodType>> | undefined {
  const inner = withoutOptional(schema);
  return inner instanceof z.ZodObject ? inner.shape : undefined;
}

/** Returns the schema's spelling of a key; undefined if it has no such key. */
export function nameIn(shape: object, key: string): string | undefined {
  if (Object.hasOwn(shape, key)) return key;
  const known = spellings.get(shape) ?? new Map(Object.keys(shape).map((name) => [name.toLowerCase(), name]));
  spellings.set(shape, known);
  return known.get(key.toLowerCase());
}

// A thousand lists ask for the same few shapes.
const spellings = new WeakMap<object, ReadonlyMap<string, string>>();

/** Returns the schema without the mark that says that the value may be missing. */
export function withoutOptional(schema: z.core.$ZodType | undefined): z.core.$ZodType | undefined {
  return schema instanceof z.ZodOptional ? schema.unwrap() : schema;
}

function isEmptyChoice(value: unknown, schema: z.core.$ZodType | undefined): boolean {
  return value === "" && withoutOptional(schema) instanceof z.ZodEnum;
}
