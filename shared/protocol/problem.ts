import { explainConfiguration, explainResult, explainWrapper } from "./explain.ts";
import { isConfiguration, isResult, isWrapper } from "./shapes.ts";

/** The first problem of a plugin configuration, as far as a wrapper looks at it; undefined if it is right. */
export function configurationProblem(value: unknown): string | undefined {
  return isConfiguration(value) ? undefined : explainConfiguration(value);
}

/** The first problem of a `wrapper` block; undefined if it is right. */
export function wrapperProblem(value: unknown): string | undefined {
  return isWrapper(value) ? undefined : explainWrapper(value);
}

/** The first problem of the shape of a result, which is called `root`; undefined if it is right. */
export function resultShapeProblem(value: unknown, root: string): string | undefined {
  return isResult(value) ? undefined : explainResult(value, root);
}
