import { configurationSchema, resultSchema, schemaProblem, wrapperSchema } from "./schema.ts";

// The only importer of the schemas, and with them of zod. The build makes a bundle of its own of it, which a call loads when
// it needs it (build/deferred.ts).

/** What zod finds wrong with a plugin configuration; undefined if it finds nothing. */
export function explainConfiguration(value: unknown): string | undefined {
  return schemaProblem(configurationSchema(), value);
}

/** What zod finds wrong with a `wrapper` block; undefined if it finds nothing. */
export function explainWrapper(value: unknown): string | undefined {
  return schemaProblem(wrapperSchema(), value, "wrapper");
}

/** What zod finds wrong with the shape of a result, which is called `root`; undefined if it finds nothing. */
export function explainResult(value: unknown, root: string): string | undefined {
  return schemaProblem(resultSchema(), value, root);
}
