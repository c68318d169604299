import type { Host } from "../host/host.ts";
import type { JsonObject } from "../protocol/json.ts";
import type { LogLevel } from "../protocol/schema.ts";
import { isLogged, type Log, levelProblem } from "./log.ts";
import { writeLine } from "./log-line.ts";

/** The most that is read from stdin, and of a delegate's answer, which is the next plugin's stdin. In bytes. */
export const sizeLimit = 8 * 1024 * 1024;

/** One call, as far as it is known while it goes on. */
export interface Session {
  readonly host: Host;
  log: Log;
  cniVersion: string | undefined;
  /** What every line of the log says. */
  readonly fields: JsonObject;
}

/** Writes a line of the call's log, if its level is logged; before the first one, that the level itself is unknown. */
export function say(session: Session, level: LogLevel, message: string, more: JsonObject = {}): void {
  const { host, log, fields } = session;
  if (!isLogged(log, level)) return;
  const problem = levelProblem(log);
  if (problem !== undefined) {
    session.log = { file: log.file, level: log.level };
    writeLine(host, log.file, "warn", problem, fields);
  }
  writeLine(host, log.file, level, message, { ...fields, ...more });
}
