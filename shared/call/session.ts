import type { Host } from "../host/host.ts";
import type { Profiles } from "../plugin/profile.ts";
import type { JsonObject } from "../protocol/json.ts";
import { isLogged, type Log, levelProblem } from "./log.ts";
import { type LogLine, writeLine } from "./log-line.ts";

/** The longest stdin, and the longest answer of a delegate, because that is the next plugin's stdin. In bytes. */
export const sizeLimit = 8 * 1024 * 1024;

/** State of the current call. */
export interface Session {
  readonly host: Host;
  readonly profiles: Profiles;
  log: Log;
  cniVersion: string | undefined;
  /** The fields of every log line. */
  readonly fields: JsonObject;
}

/** Writes a line to the call's log if its level is logged. Before the first line, it reports an unknown level. */
export function say(session: Session, line: LogLine): void {
  const { log } = session;
  if (!isLogged(log, line.level)) return;
  const problem = levelProblem(log);
  if (problem !== undefined) {
    session.log = { file: log.file, level: log.level };
    write(session, log.file, { level: "warn", message: problem });
  }
  write(session, log.file, line);
}

/** Logs what an operator should know. */
export function warn(session: Session, message: string, more?: JsonObject): void {
  say(session, { level: "warn", message, more });
}

/** Logs what helps to find a fault. */
export function debug(session: Session, message: string, more?: JsonObject): void {
  say(session, { level: "debug", message, more });
}

/** Writes a line. The first one that cannot be written is a warning on stderr: it never fails a call. */
function write(session: Session, file: string, line: LogLine): void {
  const { host, log, fields } = session;
  const problem = writeLine(host, file, { ...line, more: { ...fields, ...line.more } });
  if (problem === undefined || log.isUnwritable) return;
  session.log = { ...log, isUnwritable: true };
  host.writeStderr(`cni-wrappers: warning: cannot write the log ${file}: ${problem}\n`);
}
