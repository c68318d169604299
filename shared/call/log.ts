import type { LogLevel, WrapperConfiguration } from "../protocol/shapes.ts";
import type { Environment } from "../protocol/variables.ts";

const levels: readonly LogLevel[] = ["error", "warn", "info", "debug"];

/** The log's file, if there is one, and its level. */
export interface Log {
  readonly file: string | undefined;
  readonly level: LogLevel;
  /** CNI_WRAPPERS_LOG_LEVEL, if it applies and is not a level. */
  readonly unknownLevel?: string;
  /** A line could not be written, and stderr says so. */
  readonly isUnwritable?: true;
}

/** Returns the log of a call: from its `wrapper` block, else from CNI_WRAPPERS_LOG and CNI_WRAPPERS_LOG_LEVEL, else off. */
export function logOf(env: Environment, wrapper: WrapperConfiguration): Log {
  const asked = wrapper.log?.level ?? env.CNI_WRAPPERS_LOG_LEVEL;
  const file = wrapper.log?.file ?? (env.CNI_WRAPPERS_LOG || undefined);
  if (!asked) return { file, level: "info" };
  return isLevel(asked) ? { file, level: asked } : { file, level: "info", unknownLevel: asked };
}

function isLevel(text: string): text is LogLevel {
  return (levels as readonly string[]).includes(text);
}

/** Says what is wrong with the log's level; undefined if it is valid. */
export function levelProblem({ unknownLevel }: Log): string | undefined {
  if (unknownLevel === undefined) return undefined;
  return `CNI_WRAPPERS_LOG_LEVEL is "${unknownLevel}", which is not a level: the wrapper uses info. The levels are ${levels.join(", ")}.`;
}

/** Whether lines of that level are written. */
export function isLogged(log: Log, wanted: LogLevel): log is Log & { readonly file: string } {
  return log.file !== undefined && levels.indexOf(wanted) <= levels.indexOf(log.level);
}
