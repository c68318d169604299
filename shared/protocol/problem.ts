import { configurationSchema, logSchema, resultSchema, schemaProblem, wrapperSchema } from "./schema.ts";

// In the executables this module is for faults only: the build puts compiled checks before it (build/schemas.ts).

/** The keys that a `wrapper` block may have, and those of its `log`. */
export const wrapperKeys: readonly string[] = Object.keys(wrapperSchema().shape);
export const logKeys: readonly string[] = Object.keys(logSchema().shape);

/** The first thing that is wrong with a plugin configuration, as far as a wrapper looks at it; nothing if it is right. */
export function configurationProblem(value: unknown): string | undefined {
  return schemaProblem(configurationSchema(), value);
}

/** The first thing that is wrong with a `wrapper` block; nothing if it is right. */
export function wrapperProblem(value: unknown): string | undefined {
  return schemaProblem(wrapperSchema(), value, "wrapper");
}

/** The first thing that is wrong with the shape of a result, which is called `root`; nothing if it is right. */
export function resultShapeProblem(value: unknown, root: string): string | undefined {
  return schemaProblem(resultSchema(), value, root);
}
