import { aboutText } from "./about.ts";
import { handOver } from "./act/hand-over.ts";
import { logOf } from "./act/log.ts";
import { prepareCall } from "./act/prepare-call.ts";
import { print, printError, printVersions } from "./act/print.ts";
import { readConfiguration } from "./act/read-input.ts";
import { HostRecords } from "./act/record-store.ts";
import { runRemovals } from "./act/remove.ts";
import { runAndSplice } from "./act/run-and-splice.ts";
import { type Session, say } from "./act/session.ts";
import type { Host } from "./host/host.ts";
import type { Plan } from "./plan/plan.ts";
import { planRequest, planVersion } from "./plan/plan-request.ts";
import type { Profiles } from "./plan/profile.ts";
import { errorResult, toCniError } from "./protocol/errors.ts";
import { parseRequest } from "./protocol/request.ts";
import { parseVariables } from "./protocol/variables.ts";

/** Answers one call of a runtime: read, parse, plan, act, write once. Returns the exit code. */
export function run(host: Host, profiles: Profiles): number {
  const session: Session = { host, log: logOf(host.env, {}), cniVersion: undefined, fields: {} };
  try {
    if (!host.env.CNI_COMMAND) return print(host, aboutText(host));
    return act(session, plan(session, profiles));
  } catch (thrown) {
    return printError(session, errorResult(toCniError(thrown), session.cniVersion));
  }
}

function plan(session: Session, profiles: Profiles): Plan {
  const { host, fields } = session;
  const variables = parseVariables(host.env);
  const { command } = variables;
  if (command === "VERSION") return planVersion(host.calledAs);
  const decoded = readConfiguration(session, command);
  // An error result repeats the runtime's version (SPEC.md, section 5), even if another key is invalid.
  if (typeof decoded.cniVersion === "string") session.cniVersion = decoded.cniVersion;
  const request = parseRequest(command, variables, decoded);
  const { configuration, wrapper } = request;
  if (wrapper.log) session.log = logOf(host.env, wrapper);
  fields.network = configuration.name;
  for (const warning of request.warnings) say(session, "warn", warning);
  say(session, "debug", "plugin configuration received", { configuration });
  return planRequest(request, host.calledAs, profiles, new HostRecords(host));
}

function act(session: Session, plan: Plan): number {
  switch (plan.do) {
    case "handOver":
      return handOver(session, plan);
    case "remove":
      return runRemovals(session, plan.removals);
    case "splice":
      return runAndSplice(session, { ...plan, call: prepareCall(session, plan.call) });
    case "printVersions":
      return printVersions(session.host);
    case "fail":
      return printError(session, plan.error);
    default:
      return plan satisfies never;
  }
}
