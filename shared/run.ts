import { aboutText, versionResult } from "./about.ts";
import { withFixedMac } from "./act/device-mac.ts";
import { findDelegate, inputOf, missingDelegate, nameSubject, ready } from "./act/find-delegate.ts";
import { logOf } from "./act/log.ts";
import { checkRouting } from "./act/moved-routes.ts";
import { recordsOn } from "./act/record-store.ts";
import { collectGarbage, runInTurn, runRemovals } from "./act/remove.ts";
import { runDelegate } from "./act/run-delegate.ts";
import { type Session, say, sizeLimit } from "./act/session.ts";
import { runAndSplice } from "./act/splice-answer.ts";
import type { Bytes, Host } from "./host/host.ts";
import type { DelegateCall } from "./plan/call.ts";
import { type HandOver, type Plan, planRequest, planVersion } from "./plan/plan.ts";
import type { Profiles } from "./plan/profile.ts";
import { CniError, errorResult, toCniError } from "./protocol/errors.ts";
import type { JsonObject } from "./protocol/json.ts";
import { decodeConfiguration, parseRequest } from "./protocol/request.ts";
import { parseVariables } from "./protocol/variables.ts";
import { type RoutingPlan, routingFile } from "./record/record.ts";

/** Answers one call of a runtime: read, parse, plan, act, write once. Returns the exit code. */
export function run(host: Host, profiles: Profiles): number {
  const session: Session = { host, log: logOf(host.env, {}), cniVersion: undefined, fields: {} };
  try {
    if (!host.env.CNI_COMMAND) return print(host, aboutText(host));
    return act(session, plan(session, profiles));
  } catch (thrown) {
    return fail(session, errorResult(toCniError(thrown), session.cniVersion));
  }
}

function plan(session: Session, profiles: Profiles): Plan {
  const { host, fields } = session;
  const variables = parseVariables(host.env);
  const { command } = variables;
  if (command === "VERSION") return planVersion(host.calledAs);
  const decoded = decodeConfiguration(readInput(host));
  // An error result is in the caller's version (SPEC.md, section 5), the error that it has a wrong value as well.
  if (typeof decoded.cniVersion === "string") session.cniVersion = decoded.cniVersion;
  const request = parseRequest(command, variables, decoded);
  const { configuration, wrapper } = request;
  session.log = logOf(host.env, wrapper);
  fields.network = configuration.name;
  for (const warning of request.warnings) say(session, "warn", warning);
  say(session, "debug", "plugin configuration received", { configuration });
  return planRequest(request, host.calledAs, profiles, recordsOn(host));
}

function act(session: Session, plan: Plan): number {
  switch (plan.do) {
    case "handOver":
      return handOver(session, plan);
    case "remove":
      return runRemovals(session, plan.removals);
    case "splice":
      return runAndSplice(session, { ...plan, call: ready(session, plan.call) });
    case "printVersions":
      return printVersions(session.host);
    case "fail":
      return fail(session, plan.error);
    default:
      return plan satisfies never;
  }
}

function handOver(session: Session, plan: HandOver): number {
  const { host } = session;
  const { withoutDelegate, notes, mac, routing } = plan;
  const finished = (one: DelegateCall) => ready(session, mac ? withFixedMac(host, one, mac) : one);
  const routed = (one: DelegateCall) => (routing ? withRouting(host, one, routing) : one);
  const call = finished(plan.call);
  nameSubject(session, call);
  for (const note of notes) say(session, "warn", note);
  const path = findDelegate(host, call.delegate);
  if (path === undefined) {
    if (withoutDelegate === "ownVersions") return printVersions(host);
    throw missingDelegate(host, call.delegate, withoutDelegate);
  }
  if (plan.removals) collectGarbage(session, plan.removals);
  if (plan.fallback) return runInTurn(session, path, routed(call), routed(finished(plan.fallback)));
  const checked = routed(call);
  // Whoever keeps a log wants to read there how the call ended, so the wrapper waits for it.
  if (session.log.file === undefined) host.exec(path, checked.environment, inputOf(checked));
  const answer = runDelegate(session, path, checked);
  host.writeStdout(answer.stdout);
  return answer.exitCode;
}

function withRouting(host: Host, call: DelegateCall, plan: RoutingPlan): DelegateCall {
  const record = host.readFile(routingFile(plan.key));
  return record === undefined ? call : checkRouting(host, call, plan, record);
}

function readInput(host: Host): string | undefined {
  const input = readStdin(host);
  if (input === undefined) throw new CniError("oversizedInput", "");
  return host.decodeUtf8(input);
}

function readStdin(host: Host): Bytes | undefined {
  try {
    return host.readStdin(sizeLimit);
  } catch (error) {
    throw new CniError("unreadableInput", "", error instanceof Error ? error.message : String(error));
  }
}

function printVersions(host: Host): number {
  return print(host, `${JSON.stringify(versionResult(readInput(host)))}\n`);
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
