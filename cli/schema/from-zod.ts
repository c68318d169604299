import * as z from "zod";

/** A JSON Schema, or a part of one. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** Returns a zod schema as a part of a JSON Schema (draft-07). */
export function jsonSchemaOf(schema: z.core.$ZodType): JsonSchema {
  const { $schema, ...rest } = z.toJSONSchema(schema, { target: "draft-7", io: "input", override: withoutLimits });
  return rest;
}

// A whole number has no other limits than those that its schema names.
function withoutLimits({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
}
