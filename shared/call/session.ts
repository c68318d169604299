import type { Host } from "../host/host.ts";
import type { JsonObject } from "../protocol/json.ts";
import type { LogLevel } from "../protocol/schema.ts";
import { isLogged, type Log, levelProblem } from "./log.ts";
import { writeLine } from "./log-line.ts";

/** The longest stdin, and the longest answer of a delegate, because that is the next plugin's stdin. In bytes. */
export const sizeLimit = 8 * 1024 * 1024;

/** State of the current call. */
export interface Session {
  readonly host: Host;
  log: Log;
  cniVersion: string | undefined;
  /** Some values of the configuration are unread. */
  hasUnread?: true;
  /** The fields of every log line. */
  readonly fields: JsonObject;
}

/** Writes a line to the call's log if its level is logged. Before the first line, it reports an unknown level. */
export function say(session: Session, level: LogLevel, message: string, more: JsonObject = {}): void {
  const { log } = session;
  if (!isLogged(log, level)) return;
  const problem = levelProblem(log);
  if (problem !== undefined) {
    session.log = { file: log.file, level: log.level };
    write(session, log.file, "warn", problem, {});
  }
  write(session, log.file, level, message, more);
}

/** Writes a line. The first one that cannot be written is a warning on stderr: it never fails a call. */
function write(session: Session, file: string, level: LogLevel, message: string, more: JsonObject): void {
  const { host, log, fields } = session;
  const problem = writeLine(host, file, level, message, { ...fields, ...more });
  if (problem === undefined || log.isUnwritable) return;
  session.log = { ...log, isUnwritable: true };
  host.writeStderr(`cni-wrappers: warning: cannot write the log ${file}: ${problem}\n`);
}
