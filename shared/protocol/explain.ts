import { configurationSchema, resultSchema, schemaProblem, wrapperSchema } from "./schema.ts";

// Only this file imports the schemas, and zod with them. The build puts it into a separate bundle, which a call loads when it
// needs it (build/deferred.ts).

/** Returns what zod finds wrong with a plugin configuration; undefined if it is valid. */
export function explainConfiguration(value: unknown): string | undefined {
  return schemaProblem(configurationSchema(), value);
}

/** Returns what zod finds wrong with a `wrapper` block; undefined if it is valid. */
export function explainWrapper(value: unknown): string | undefined {
  return schemaProblem(wrapperSchema(), value, "wrapper");
}

/**
 * Returns what zod finds wrong with the shape of a result; undefined if it is valid. `root` is the result's name in the
 * message.
 */
export function explainResult(value: unknown, root: string): string | undefined {
  return schemaProblem(resultSchema(), value, root);
}
