import { explainConfiguration, explainResult, explainWrapper } from "./explain.ts";
import { isConfiguration, isResult, isWrapper } from "./shapes.ts";

/** Returns the first problem of a plugin configuration, in the keys that a wrapper reads; undefined if it is valid. */
export function configurationProblem(value: unknown): string | undefined {
  return isConfiguration(value) ? undefined : explainConfiguration(value);
}

/** Returns the first problem of a `wrapper` block; undefined if it is valid. */
export function wrapperProblem(value: unknown): string | undefined {
  return isWrapper(value) ? undefined : explainWrapper(value);
}

/** Returns the first problem of a result's shape; undefined if it is valid. `root` is the result's name in the message. */
export function resultShapeProblem(value: unknown, root: string): string | undefined {
  return isResult(value) ? undefined : explainResult(value, root);
}
