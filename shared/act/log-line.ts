import type { Host } from "../host/host.ts";
import type { JsonObject } from "../protocol/json.ts";
import type { LogLevel } from "../protocol/schema.ts";
import type { Environment } from "../protocol/variables.ts";

/** Appends one JSON line to a log and masks likely secrets. A log that cannot be written never fails a call. */
export function writeLine(host: Host, file: string, level: LogLevel, message: string, fields: JsonObject): void {
  const time = new Date(host.now()).toISOString();
  const line = { time, level, pid: host.pid, ...callFields(host.env), ...fields, message };
  host.appendLine(file, `${JSON.stringify(line, masked)}\n`);
}

function callFields(env: Environment): JsonObject {
  return {
    command: env.CNI_COMMAND,
    containerId: env.CNI_CONTAINERID || undefined,
    ifName: env.CNI_IFNAME || undefined,
    workload: workloadOf(env.CNI_ARGS ?? ""),
  };
}

// The other keys of CNI_ARGS belong to the operator and may contain anything.
function workloadOf(args: string): JsonObject | undefined {
  const pairs = args.split(";").filter((pair) => /^(K8S_POD_|NOMAD_)[^=]*=/.test(pair));
  if (pairs.length === 0) return undefined;
  return Object.fromEntries(pairs.map((pair) => [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)]));
}

function masked(key: string, value: unknown): unknown {
  const looksSecret = /pass(word|wd|phrase)?$|secret|token|credential|private.?key|api.?key|^auth/i.test(key);
  return looksSecret && value !== null ? "***" : value;
}
