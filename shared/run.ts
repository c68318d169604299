import { type Call, delegateName, makeCall } from "./call/call.ts";
import { delegateCall } from "./call/delegate-call.ts";
import type { Plan } from "./call/plan.ts";
import { logOf, printError, printVersions, readInput, type Session, say, warn } from "./call/session.ts";
import { handOver, handOverUnchanged, nestedVariable, prepareCall } from "./delegate/run-delegate.ts";
import type { Host } from "./host/host.ts";
import type { Profiles } from "./plugin/profile.ts";
import { lastElement } from "./protocol/names.ts";
import {
  type ConfiguredVerb,
  decodeConfiguration,
  parseRequest,
  parseVariables,
  type Request,
  type Variables,
} from "./protocol/request.ts";
import { supportedVersions } from "./protocol/result.ts";
import { planAdd } from "./verbs/add.ts";
import { planCheck, runCheckTwice } from "./verbs/check.ts";
import { planDel, runUndo } from "./verbs/del.ts";
import { runRemovals } from "./verbs/del-without-entry.ts";
import { planGc, runCollect } from "./verbs/gc.ts";
import { runAdd } from "./verbs/run-add.ts";

/** Answers one call of a runtime: read, parse, plan, act, write once. Returns the exit code. */
export function run(host: Host, profiles: Profiles): number {
  const session: Session = { host, profiles, log: logOf(host.env, {}), cniVersion: undefined, fields: {} };
  try {
    if (!host.env.CNI_COMMAND) return printAbout(host);
    // A wrapped plugin runs this wrapper, as flannel runs bridge. The outer wrapper remembers the attachment.
    if (host.env[nestedVariable]) return handOverUnchanged(session);
    const variables = parseVariables(host.env);
    // The delegate's answer, or the wrapper's own if the executable's name does not name a delegate.
    if (variables.command === "VERSION")
      return delegateName(host.calledAs) === undefined ? printVersions(host) : handOverUnchanged(session);
    const call = makeCall(session, readRequest(session, variables));
    return act(call, planCall(call));
  } catch (thrown) {
    return printError(session, thrown);
  }
}

function readRequest(session: Session, variables: Variables): Request {
  const command = variables.command as ConfiguredVerb;
  const decoded = decodeConfiguration(command, readInput(session.host));
  // An error result repeats the runtime's version (SPEC.md, section 5), even if another key is invalid.
  if (typeof decoded.cniVersion === "string") session.cniVersion = decoded.cniVersion;
  const request = parseRequest(command, variables, decoded);
  const { configuration, wrapper } = request;
  session.log = logOf(session.host.env, wrapper);
  session.fields.network = configuration.name;
  say(session, { level: "debug", message: "plugin configuration received", more: { configuration } });
  return request;
}

function act(call: Call, plan: Plan): number {
  const { session } = call;
  for (const note of call.notes) warn(session, note);
  switch (plan.do) {
    case "handOver":
      return handOver(session, plan);
    case "checkTwice":
      return runCheckTwice(call, plan);
    case "undo":
      return runUndo(call, plan);
    case "remove":
      return runRemovals(call, plan);
    case "collect":
      return runCollect(call, plan);
    case "add":
      return runAdd(call, plan);
    default:
      return plan satisfies never;
  }
}

/**
 * Answers a call without CNI_COMMAND. Nomad's fingerprint takes the first version in the answer as the plugin's version, so the
 * project's own version comes first. Returns the exit code.
 */
function printAbout(host: Host): number {
  const { calledAs, release } = host;
  host.writeStdout(`CNI ${lastElement(calledAs)} plugin v${release.version}
CNI protocol versions supported: ${supportedVersions.join(", ")}
Built from commit ${release.commit}
Flavor: ${release.flavor}
`);
  return 0;
}

/** Plans a call with a plugin configuration. Everything is decided here, before anything is done. */
export function planCall(call: Call): Plan {
  const { command } = call.request;
  switch (command) {
    case "ADD":
      return planAdd(call);
    case "CHECK":
      return planCheck(call);
    case "DEL":
      return planDel(call);
    case "GC":
      return planGc(call);
    case "STATUS":
      return { do: "handOver", call: prepareCall(call.session, delegateCall(call)), withoutDelegate: "unavailable" };
    default:
      return command satisfies never;
  }
}
