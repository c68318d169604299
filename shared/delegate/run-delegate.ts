import { delegateName } from "../call/call.ts";
import type { DelegateCall, PlainCall } from "../call/delegate-call.ts";
import type { HandOver } from "../call/plan.ts";
import { printVersions, type Session, say, sizeLimit, warn } from "../call/session.ts";
import type { Answer } from "../host/host.ts";
import type { Entry } from "../journal/journal.ts";
import { CniError } from "../protocol/errors.ts";
import { goLookup, ipamOf, jsonText, parseJsonObject } from "../protocol/json.ts";
import { typeProblem } from "../protocol/names.ts";
import type { LogLevel } from "../protocol/shapes.ts";
import { findDelegate, missingDelegate } from "./find-delegate.ts";

/** The answer of a delegate that exited by itself. */
export type Finished = Answer & { ended: "exit" };

/** A delegate's call, with its executable. */
export interface Run {
  readonly path: string;
  readonly call: DelegateCall | PlainCall;
  /** How a failure is logged. */
  readonly failureLevel?: LogLevel;
}

/** Runs the delegate to its end, and logs it. Code 101 if it is killed, 102 if it prints too much, 104 if it cannot start. */
export function runDelegate(session: Session, { path, call, failureLevel = "error" }: Run): Finished {
  const { host } = session;
  const verb = call.environment.CNI_COMMAND ?? host.env.CNI_COMMAND;
  const { configuration } = call;
  say(session, { level: "debug", message: `running ${path}: ${verb}`, more: { configuration } });
  const started = host.now();
  // Without a configuration, it gets the runtime's own stdin.
  const stdin = configuration && jsonText(configuration);
  const answer = host.spawn(path, { ...call.environment, ...nestedMark }, { stdin, limit: sizeLimit });
  const durationMs = host.now() - started;
  // guard: a plugin that was killed has not passed
  if (answer.ended !== "exit") throw delegateError(call.delegate, answer);
  logAnswer(session, answer, { verb: String(verb), durationMs, failureLevel });
  return answer;
}

/** Runs a DEL of an entry's plugin, even if it is no longer where the runtime looks. Code 100 if it is missing. */
export function runDel(
  { session }: { readonly session: Session },
  entry: Pick<Entry, "path">,
  call: DelegateCall,
): Finished {
  return runDelegate(session, { path: locateDelegate(session, call, entry.path), call });
}

/** Returns the path of a call's delegate, or the one at which its ADD found it. Code 100 if it is missing. Log lines name it. */
export function locateDelegate(session: Session, call: DelegateCall, earlier = ""): string {
  const { host } = session;
  noteDelegate(session, call);
  const path =
    // guard: a path that is no executable is not run
    findDelegate(host, call.delegate) ?? (host.inspect(earlier) === "executable" ? earlier : undefined);
  // guard: no ADD, CHECK or DEL passes without the plugin
  if (path === undefined) throw missingDelegate(host, call.delegate);
  return path;
}

/** A wrapper that finds this variable was started by a wrapped plugin, as flannel starts bridge, and keeps no journal. */
export const nestedVariable = "CNI_WRAPPERS_NESTED";
const nestedMark = { [nestedVariable]: "1" } as const;

/** Adds the delegate and its interface to all later log lines. */
function noteDelegate({ fields }: Session, { delegate, environment }: DelegateCall | PlainCall): void {
  fields.delegate = delegate;
  if (environment.CNI_IFNAME !== undefined) fields.ifName = environment.CNI_IFNAME;
}

/** Returns the words of a failed delegate. */
export function failureWords({ exitCode, stdout }: Finished): string {
  const { msg = `exit code ${exitCode}` } = parseJsonObject(stdout.decodeUtf8() ?? "") ?? {};
  return String(msg);
}

interface Ended {
  readonly verb: string;
  readonly durationMs: number;
  readonly failureLevel: LogLevel;
}

function logAnswer(session: Session, { exitCode, stdout }: Finished, { verb, durationMs, failureLevel }: Ended): void {
  if (session.log.file === undefined) return;
  const text = stdout.decodeUtf8() ?? "";
  const output = parseJsonObject(text);
  if (exitCode === 0) {
    say(session, { level: "info", message: `delegate passed ${verb}`, more: { durationMs, exitCode } });
  } else {
    const { code, msg, details } = output ?? {};
    const words = typeof msg === "string" ? msg : "it printed no CNI error";
    const more = { code, msg, details, durationMs, exitCode };
    say(session, { level: failureLevel, message: `delegate failed ${verb}: ${words}`, more });
  }
  say(session, { level: "debug", message: "delegate's answer", more: { answer: output ?? text } });
}

function delegateError(delegate: string, answer: Exclude<Answer, Finished>): CniError {
  switch (answer.ended) {
    case "signal":
      return new CniError("delegateDied", delegate, `it was killed by ${answer.signal}`);
    case "too much output":
      return new CniError("invalidDelegateOutput", delegate, "it is more than 8 MiB");
    case "not started":
      return new CniError("delegateNotStarted", delegate, answer.reason);
    default:
      return answer satisfies never;
  }
}

/**
 * Replaces this process with the delegate. Spawns it instead if exec is impossible, or if there is a log, which says how the
 * call ended. Returns the exit code. Code 100 if the delegate is missing, 50 for STATUS.
 */
export function handOver(session: Session, { call, withoutDelegate }: HandOver): number {
  const { host } = session;
  noteDelegate(session, call);
  const path = findDelegate(host, call.delegate);
  // guard: no verb passes without the plugin
  if (path === undefined) {
    if (withoutDelegate === "ownVersions") return printVersions(host);
    throw missingDelegate(host, call.delegate, withoutDelegate);
  }
  if (session.log.file === undefined) {
    const stdin = call.configuration && jsonText(call.configuration);
    host.tryExec(path, { ...call.environment, ...nestedMark }, stdin);
  }
  return printAnswer(runDelegate(session, { path, call }));
}

/** Gives a delegate's answer to the runtime. Returns the exit code. */
export function printAnswer({ stdout, exitCode }: Finished): number {
  stdout.print();
  return exitCode;
}

/** The answers of the verbs that have one of their own if the delegate is missing. */
const answers = new Map<string | undefined, HandOver["withoutDelegate"]>([
  ["STATUS", "unavailable"],
  ["VERSION", "ownVersions"],
]);

/** Hands a call over unchanged to the delegate that the wrapper's name stands for. Code 7 if it stands for none. */
export function handOverUnchanged(session: Session): number {
  const { calledAs, env } = session.host;
  const delegate = delegateName(calledAs);
  if (delegate === undefined) throw new CniError("unnamedDelegate", `started as ${calledAs}`);
  const withoutDelegate = answers.get(env.CNI_COMMAND);
  return handOver(session, { do: "handOver", call: { delegate, environment: {} }, withoutDelegate });
}

const nothing: Finished = { ended: "exit", exitCode: 0, stdout: { decodeUtf8: () => "", print() {} } };

/** Runs the DEL of a plugin's IPAM plugin, if it names one. Code 100 if that is missing. */
export function freeLeases(session: Session, call: DelegateCall): Finished {
  const ipam = goLookup(ipamOf(call.configuration), "type");
  if (typeof ipam !== "string" || typeProblem(ipam) !== undefined) return nothing;
  const environment = { ...call.environment, CNI_NETNS: "" };
  // The entry's path leads to the plugin itself, whose DEL would pass and free nothing.
  return runDel({ session }, { path: "" }, { ...call, environment, delegate: ipam });
}

/** The longest input of a jq program. In characters. */
const inputLimit = 1024 * 1024;

/**
 * Returns the call as the delegate gets it: `wrapper.jq` rewrites its configuration, if there is one. Code 7 if the program fails.
 * DEL and STATUS then use the original configuration, because a container must always be removable.
 */
export function prepareCall(session: Session, call: DelegateCall): DelegateCall {
  if (!call.filter) return call;
  const { program, mayFail } = call.filter;
  try {
    const configuration = runJq(session, program, JSON.stringify(call.configuration));
    say(session, { level: "debug", message: "plugin configuration after wrapper.jq", more: { configuration } });
    return { ...call, configuration };
  } catch (error) {
    if (!mayFail || !(error instanceof CniError)) throw error;
    warn(session, `${error.message}; the delegate gets its configuration unfiltered`, { details: error.details });
    return call;
  }
}

function runJq({ host }: Session, program: string, input: string) {
  if (host.jq === undefined) throw refusal("is not available in this build: use the Node flavor");
  if (input.length > inputLimit) throw refusal("gets more than 1 MiB");
  const answer = host.jq(program, input);
  if ("problem" in answer) throw jqError(answer.problem);
  const configuration = parseJsonObject(answer.output);
  if (configuration === undefined) throw refusal(`must return one object, not ${excerpt(answer.output)}`);
  return configuration;
}

/** jq reports the position of a syntax error, but not of an error that depends on the input. */
function jqError(problem: string): CniError {
  const [first = ""] = problem.split("\n");
  const [, what = first, position] =
    /^jq: error(?: \(at [^)]*\))?: (.*?)(?: at <top-level>, (line \d+, column \d+):?)?$/.exec(first) ?? [];
  const where = position === undefined ? "wrapper.jq" : `wrapper.jq, ${position}`;
  return new CniError("invalidConfiguration", `${where}: ${what}`, problem);
}

function refusal(what: string): CniError {
  return new CniError("invalidConfiguration", `wrapper.jq ${what}`);
}

function excerpt(output: string): string {
  if (output === "") return "nothing";
  return output.length > 60 ? `${output.slice(0, 60)}…` : output.replaceAll("\n", " and ");
}
