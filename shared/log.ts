import type { LogLevel, WrapperConfiguration } from "./protocol/schema.ts";
import type { Environment } from "./protocol/variables.ts";

const levels: readonly LogLevel[] = ["error", "warn", "info", "debug"];

/** Where the log goes, if anywhere, and how much of it. */
export interface Log {
  readonly file: string | undefined;
  readonly level: LogLevel;
}

/** The log of a call: what its `wrapper` block says, else CNI_WRAPPERS_LOG and CNI_WRAPPERS_LOG_LEVEL, else off. */
export function logOf(env: Environment, wrapper: WrapperConfiguration): Log {
  const hostLevel = levels.find((level) => level === env.CNI_WRAPPERS_LOG_LEVEL);
  return {
    file: wrapper.log?.file ?? (env.CNI_WRAPPERS_LOG || undefined),
    level: wrapper.log?.level ?? hostLevel ?? "info",
  };
}

/** Whether lines of that level are written. */
export function isLogged(log: Log, wanted: LogLevel): log is Log & { readonly file: string } {
  return log.file !== undefined && levels.indexOf(wanted) <= levels.indexOf(log.level);
}
