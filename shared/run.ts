import { aboutText, versionResult } from "./about.ts";
import { findDelegate, missingDelegate } from "./delegate.ts";
import type { Answer, Host } from "./host/host.ts";
import { isLogged, type Log, logOf, writeLog } from "./log.ts";
import { type Splice, spliceResult } from "./plan/add.ts";
import type { DelegateCall } from "./plan/call.ts";
import { type Plan, planRequest, planVersion } from "./plan/plan.ts";
import type { Profiles } from "./plan/profile.ts";
import { CniError, errorResult, toCniError } from "./protocol/errors.ts";
import { isJsonObject, type JsonObject } from "./protocol/json.ts";
import { parseRequest, resultProblem } from "./protocol/request.ts";
import type { CniResult } from "./protocol/result.ts";
import type { LogLevel } from "./protocol/schema.ts";
import { parseVariables } from "./protocol/variables.ts";
import { isChainVersion } from "./protocol/versions.ts";

/** The most that is read from stdin, and of a delegate's answer, which is the next plugin's stdin. */
const sizeLimit = 8 * 1024 * 1024;

/** One call, as far as it is known while it goes on. */
interface Session {
  readonly host: Host;
  log: Log;
  cniVersion: string | undefined;
  /** What every line of the log says. */
  readonly fields: JsonObject;
}

/** Answers one call of a runtime: read, parse, plan, act, write once. Returns the exit code. */
export function run(host: Host, profiles: Profiles): number {
  if (!host.env.CNI_COMMAND) return print(host, aboutText(host));
  const session: Session = { host, log: logOf(host.env, {}), cniVersion: undefined, fields: {} };
  try {
    return act(session, plan(session, profiles));
  } catch (thrown) {
    const error = toCniError(thrown);
    return fail(session, errorResult(error, session.cniVersion));
  }
}

function plan(session: Session, profiles: Profiles): Plan {
  const { host, fields } = session;
  const variables = parseVariables(host.env);
  const { command } = variables;
  if (command === "VERSION") return planVersion(host.calledAs);
  const request = parseRequest(command, variables, readInput(host));
  const { configuration, wrapper } = request;
  session.log = logOf(host.env, wrapper);
  session.cniVersion = configuration.cniVersion;
  fields.network = configuration.name;
  for (const warning of request.warnings) say(session, "warn", warning);
  say(session, "debug", "plugin configuration received", { configuration });
  return planRequest(request, host.calledAs, profiles);
}

function act(session: Session, plan: Plan): number {
  switch (plan.do) {
    case "handOver":
      return handOver(session, plan);
    case "splice":
      return runAndSplice(session, plan.call, plan.splice);
    case "printVersions":
      return printVersions(session.host);
    case "fail":
      return fail(session, plan.error);
    default:
      return plan satisfies never;
  }
}

function handOver(session: Session, { call, withoutDelegate, notes }: Plan & { do: "handOver" }): number {
  const { host } = session;
  session.fields.delegate = call.delegate;
  for (const note of notes) say(session, "warn", note);
  const path = findDelegate(host, call.delegate);
  if (path === undefined) {
    if (withoutDelegate === "ownVersions") return printVersions(host);
    throw missingDelegate(host, call.delegate, withoutDelegate);
  }
  say(session, "info", `handing over to ${path}`);
  const input = encoded(call.configuration);
  // At debug the answer is to be logged, so that somebody has to stay and read it.
  if (!isLogged(session.log, "debug")) host.exec(path, variablesOf(session, call), input);
  const answer = runDelegate(session, path, call, input);
  host.writeStdout(answer.stdout);
  return answer.exitCode;
}

function runAndSplice(session: Session, call: DelegateCall, splice: Splice): number {
  const { host } = session;
  session.fields.delegate = call.delegate;
  const path = findDelegate(host, call.delegate);
  if (path === undefined) throw missingDelegate(host, call.delegate, "delegateNotFound");
  const answer = runDelegate(session, path, call, encoded(call.configuration));
  if (answer.exitCode !== 0) {
    host.writeStdout(answer.stdout);
    return answer.exitCode;
  }
  try {
    host.writeStdout(splicedOutput(host, call.delegate, splice, answer.stdout));
    return 0;
  } catch (thrown) {
    throw undone(session, path, call, toCniError(thrown));
  }
}

/** What the runtime gets for the delegate's answer: its very bytes where nothing is changed. */
function splicedOutput(host: Host, delegate: string, splice: Splice, stdout: Uint8Array): string | Uint8Array {
  const result = parseOutput(host.decodeUtf8(stdout));
  if (result === undefined) throw new CniError("invalidDelegateOutput", delegate, "it is no JSON object");
  const problem = resultProblem(result, "result") ?? versionProblem(result);
  // What works with the bare plugin works wrapped: alone in its chain, it may return what it likes.
  if (problem !== undefined && splice.as === "only") return stdout;
  if (problem !== undefined) throw new CniError("invalidDelegateOutput", delegate, problem);
  const spliced = spliceResult(splice, result);
  return spliced === result ? stdout : `${JSON.stringify(spliced, null, 4)}\n`;
}

function parseOutput(output: string | undefined): CniResult | undefined {
  if (output === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(output);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function versionProblem({ cniVersion }: CniResult): string | undefined {
  if (cniVersion === undefined || isChainVersion(cniVersion)) return undefined;
  return `a result of cniVersion ${cniVersion} cannot be spliced`;
}

// The delegate succeeded and the runtime will never know: nothing of it may stay (SPEC.md, section 4 "Delegated plugins").
function undone(session: Session, path: string, call: DelegateCall, error: CniError): CniError {
  say(session, "error", `${error.message}; running the delegate's DEL`, { details: error.details });
  const undo = { ...call, environment: { ...call.environment, CNI_COMMAND: "DEL" } };
  try {
    const { exitCode, stdout } = runDelegate(session, path, undo, encoded(call.configuration));
    if (exitCode === 0) return error;
    return error.adding(`Its DEL failed as well: ${session.host.decodeUtf8(stdout) ?? `exit code ${exitCode}`}`);
  } catch (thrown) {
    return error.adding(`Its DEL failed as well: ${toCniError(thrown).message}`);
  }
}

/** Runs the delegate to its end; throws where it came to none of its own. */
function runDelegate(session: Session, path: string, call: DelegateCall, input: string | undefined) {
  const { host } = session;
  say(session, "debug", `running ${path}`, { environment: call.environment, configuration: call.configuration });
  const started = host.now();
  const answer = host.spawn(path, variablesOf(session, call), input, sizeLimit);
  const durationMs = host.now() - started;
  if (answer.ended !== "exit") throw delegateError(call.delegate, answer);
  const { exitCode, stdout } = answer;
  say(session, exitCode === 0 ? "info" : "error", "delegate answered", { ...call.environment, durationMs, exitCode });
  say(session, "debug", "delegate's answer", { answer: readable(host.decodeUtf8(stdout)) });
  return answer;
}

function delegateError(delegate: string, answer: Exclude<Answer, { ended: "exit" }>): CniError {
  switch (answer.ended) {
    case "signal":
      return new CniError("delegateDied", delegate, `it was ended by ${answer.signal}`);
    case "too much output":
      return new CniError("invalidDelegateOutput", delegate, "it is more than 8 MiB");
    case "not started":
      return new CniError("delegateNotStarted", delegate, answer.reason);
    default:
      return answer satisfies never;
  }
}

function variablesOf({ host }: Session, call: DelegateCall) {
  return { ...host.env, ...call.environment };
}

function readInput(host: Host): string | undefined {
  const input = readStdin(host);
  if (input === undefined) throw new CniError("oversizedInput", "");
  return host.decodeUtf8(input);
}

function readStdin(host: Host): Uint8Array | undefined {
  try {
    return host.readStdin(sizeLimit);
  } catch (error) {
    throw new CniError("unreadableInput", "", error instanceof Error ? error.message : String(error));
  }
}

function encoded(configuration: JsonObject | undefined): string | undefined {
  try {
    return JSON.stringify(configuration);
  } catch (error) {
    throw new CniError("undecodableInput", "", `it is nested too deeply (${error})`);
  }
}

function readable(output = ""): unknown {
  return parseOutput(output) ?? output;
}

function printVersions(host: Host): number {
  const input = host.readStdin(sizeLimit);
  return print(host, `${JSON.stringify(versionResult(input && host.decodeUtf8(input)))}\n`);
}

function print(host: Host, text: string): number {
  host.writeStdout(text);
  return 0;
}

function fail(session: Session, error: JsonObject): number {
  say(session, "error", String(error.msg), { code: error.code, details: error.details });
  try {
    session.host.writeStdout(`${JSON.stringify(error, null, 4)}\n`);
  } catch {
    // Nobody reads it: the exit code has to do.
  }
  return 1;
}

function say({ host, log, fields }: Session, level: LogLevel, message: string, more: JsonObject = {}): void {
  writeLog(host, log, level, message, { ...fields, ...more });
}
