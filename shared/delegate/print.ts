import { type Session, say } from "../call/session.ts";
import type { Host } from "../host/host.ts";
import type { JsonObject } from "../protocol/json.ts";
import { versionResult } from "../protocol/versions.ts";
import { readInput } from "./read-input.ts";

/** Writes a text to stdout. Returns the exit code. */
export function print(host: Host, text: string): number {
  host.writeStdout(text);
  return 0;
}

/** Answers VERSION with the wrapper's own list. Returns the exit code. */
export function printVersions(host: Host): number {
  return print(host, `${JSON.stringify(versionResult(readInput(host)))}\n`);
}

/** Logs an error result and gives it to the runtime. Returns the exit code. */
export function printError(session: Session, error: JsonObject): number {
  say(session, { level: "error", message: String(error.msg), more: { code: error.code, details: error.details } });
  try {
    session.host.writeStdout(`${JSON.stringify(error, null, 4)}\n`);
  } catch {
    // If stdout is closed, the exit code must be enough.
  }
  return 1;
}
