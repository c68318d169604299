import { type HandOver, planHandOver } from "../call/plan.ts";
import { type Session, say, sizeLimit } from "../call/session.ts";
import { delegateName } from "../call/target.ts";
import type { Bytes, Host } from "../host/host.ts";
import { CniError } from "../protocol/errors.ts";
import type { JsonObject } from "../protocol/json.ts";
import { versionResult } from "../protocol/versions.ts";
import { findDelegate, missingDelegate } from "./find-delegate.ts";
import { type Finished, inputOf, nestedMark, noteDelegate, runDelegate } from "./run-delegate.ts";

/**
 * Replaces this process with the delegate. Spawns it instead if exec is impossible, or if there is a log, which says how the
 * call ended. Returns the exit code.
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
  if (session.log.file === undefined) host.tryExec(path, { ...call.environment, ...nestedMark }, inputOf(call));
  return printed(runDelegate(session, { path, call }));
}

/** Gives a delegate's answer to the runtime. Returns the exit code. */
export function printed({ stdout, exitCode }: Finished): number {
  stdout.print();
  return exitCode;
}

/** The answers of the verbs that have one of their own if the delegate is missing. */
const answers: Readonly<Record<string, HandOver["withoutDelegate"]>> = {
  STATUS: "unavailable",
  VERSION: "ownVersions",
};

/** Hands a call over, as it came, to the next executable of the wrapper's name. */
export function handOverUnchanged(session: Session): number {
  const { calledAs, env } = session.host;
  const delegate = delegateName(calledAs);
  if (delegate === undefined) throw new CniError("unnamedDelegate", `started as ${calledAs}`);
  const plan = planHandOver({ delegate, environment: {} });
  return handOver(session, { ...plan, withoutDelegate: answers[String(env.CNI_COMMAND)] ?? plan.withoutDelegate });
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

/** Answers VERSION with the wrapper's own list. Returns the exit code. */
export function printVersions(host: Host): number {
  host.writeStdout(`${JSON.stringify(versionResult(readInput(host)))}\n`);
  return 0;
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
