import type { Host } from "./host/host.ts";
import type { JsonObject } from "./protocol/json.ts";
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
export function isLogged({ file, level }: Log, wanted: LogLevel): boolean {
  return file !== undefined && levels.indexOf(wanted) <= levels.indexOf(level);
}

/** Writes one JSON line, if its level is logged. What looks like a secret is masked. Failing to log never fails a call. */
export function writeLog(host: Host, log: Log, level: LogLevel, message: string, fields: JsonObject): void {
  if (log.file === undefined || !isLogged(log, level)) return;
  const time = new Date(host.now()).toISOString();
  const line = { time, level, pid: host.pid, ...subjectFields(host.env), ...fields, message };
  host.appendLine(log.file, `${JSON.stringify(line, masked)}\n`);
}

function subjectFields(env: Environment): JsonObject {
  return {
    command: env.CNI_COMMAND,
    containerId: env.CNI_CONTAINERID || undefined,
    ifName: env.CNI_IFNAME || undefined,
    workload: workloadOf(env.CNI_ARGS ?? ""),
  };
}

// The rest of CNI_ARGS is the operator's and may be anything.
function workloadOf(args: string): JsonObject | undefined {
  const pairs = args.split(";").filter((pair) => /^(K8S_POD_|NOMAD_)[^=]*=/.test(pair));
  if (pairs.length === 0) return undefined;
  return Object.fromEntries(pairs.map((pair) => [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)]));
}

function masked(key: string, value: unknown): unknown {
  const looksSecret = /pass(word|wd|phrase)?$|secret|token|credential|private.?key|api.?key|^auth/i.test(key);
  return looksSecret && value !== null && value !== undefined ? "***" : value;
}
