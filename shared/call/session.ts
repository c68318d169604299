import type { Bytes, Host } from "../host/host.ts";
import type { Profiles } from "../plugin/profile.ts";
import { CniError, toCniError } from "../protocol/errors.ts";
import { type JsonObject, parseJsonObject } from "../protocol/json.ts";
import type { Environment } from "../protocol/request.ts";
import { newestVersion, supportedVersions } from "../protocol/result.ts";
import type { LogLevel, WrapperConfiguration } from "../protocol/shapes.ts";

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
  const level = levels.find((one) => one === asked);
  return level ? { file, level } : { file, level: "info", unknownLevel: asked };
}

/** Writes a line to the call's log if its level is logged. Before the first line, it reports an unknown level. */
export function say(session: Session, line: LogLine): void {
  const { file, level, unknownLevel } = session.log;
  if (file === undefined || levels.indexOf(line.level) > levels.indexOf(level)) return;
  if (unknownLevel !== undefined) {
    session.log = { file, level };
    const problem = `CNI_WRAPPERS_LOG_LEVEL is "${unknownLevel}", which is not a level: the wrapper uses info.`;
    write(session, file, { level: "warn", message: `${problem} The levels are ${levels.join(", ")}.` });
  }
  write(session, file, line);
}

/** Logs what an operator should know. */
export function warn(session: Session, message: string, more?: JsonObject): void {
  say(session, { level: "warn", message, more });
}

/** Logs what an operator should know, and writes it to stderr, which the runtime keeps. */
export function warnAloud(session: Session, message: string): void {
  warn(session, message);
  session.host.writeStderr(`cni-wrappers: warning: ${message}\n`);
}

/** Writes a line, and masks likely secrets. The first one that cannot be written is a warning on stderr: it never fails a call. */
function write(session: Session, file: string, { level, message, more }: LogLine): void {
  const { host, log, fields } = session;
  const time = new Date(host.now()).toISOString();
  const line = { time, level, pid: host.pid, ...callFields(host.env), ...fields, ...more, message };
  const problem = host.appendLine(file, `${lineText(line)}\n`);
  if (problem === undefined || log.isUnwritable) return;
  session.log = { ...log, isUnwritable: true };
  host.writeStderr(`cni-wrappers: warning: cannot write the log ${file}: ${problem}\n`);
}

/** Reads stdin as text; undefined if it is not UTF-8. Code 5 if it cannot be read or is too large. */
export function readInput(host: Host): string | undefined {
  let input: Bytes | undefined;
  try {
    input = host.readStdin(sizeLimit);
  } catch (error) {
    throw new CniError("unreadableInput", "", error instanceof Error ? error.message : String(error));
  }
  // guard: no call begins with a part of its input
  if (input === undefined) throw new CniError("oversizedInput", "");
  return input.decodeUtf8();
}

/** Answers VERSION with the wrapper's own list (SPEC.md, section 5 "VERSION Success"). It repeats the runtime's version. */
export function printVersions(host: Host): number {
  // A probe may leave stdin empty.
  const { cniVersion } = parseJsonObject(readInput(host) ?? "") ?? {};
  host.writeStdout(`${JSON.stringify({ cniVersion: cniVersion || newestVersion, supportedVersions })}\n`);
  return 0;
}

/** Logs what was thrown, and gives the runtime its error result (SPEC.md, section 5 "Error"). Returns the exit code. */
export function printError(session: Session, thrown: unknown): number {
  const { code, message, details } = toCniError(thrown);
  say(session, { level: "error", message, more: { code, details } });
  const error = { cniVersion: session.cniVersion || newestVersion, code, msg: message, details };
  try {
    session.host.writeStdout(`${JSON.stringify(error, null, 4)}\n`);
  } catch {
    // If stdout is closed, the exit code must be enough.
  }
  return 1;
}

/** A line of the log, with fields of its own. */
interface LogLine {
  readonly level: LogLevel;
  readonly message: string;
  readonly more?: JsonObject | undefined;
}

// A configuration or an answer can be nested too deeply for JSON.stringify.
function lineText(line: JsonObject): string {
  try {
    return JSON.stringify(line, masked);
  } catch {
    const { configuration, answer, details, ...shallow } = line;
    return JSON.stringify({ ...shallow, leftOut: "nested too deeply" }, masked);
  }
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

const secretKey =
  /pass(word|wd|phrase|code)|pass$|pwd|psk$|jwt|secret|token|credential|kubeconfig|(private|api|access|encryption|ssh|shared|client|tls|signing|hmac|master).?key|^auth|^env(s|vars?|ironment)?$/i;
/** Words that are too short to search for inside other words. `key` alone is no secret, `client_key` is one. */
const secretWord = /(^|[_-])(auth|bearer|community|cookies?|creds?|dsn|otp|pin|pw)($|[_-])|(?<!public)[_-]keys?$/i;

function masked(key: string, value: unknown): unknown {
  const isSecret = secretKey.test(key) || secretWord.test(key.replace(/([a-z\d])(?=[A-Z])/g, "$1_"));
  if (isSecret && value !== null) return "***";
  if (typeof value !== "string" || !value.includes("@")) return value;
  // Each word is looked at once. Looking for its "@" from each place in it would take minutes for a long one.
  return value.replace(/:\/\/[^\s/?#]*@/g, "://***@").replace(/\s?[^\s@/]+@?/g, withoutPassword);
}

/** Masks the user and the password of a text such as user:password@tcp(host). A word after a slash is a path's. */
function withoutPassword(word: string, at: number): string {
  if (!word.endsWith("@")) return word;
  const isFirst = at === 0 || /^\s/.test(word);
  return word.replace(isFirst ? /(^\s?|["'=])[^\s:="']+:.+@/ : /(["'=])[^:="']+:.+@/, "$1***@");
}
