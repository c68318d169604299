import { CniError, errorResult } from "../protocol/errors.ts";
import type { JsonObject } from "../protocol/json.ts";
import { resultShapeProblem } from "../protocol/problem.ts";
import type { Request } from "../protocol/request.ts";
import type { CniResult } from "../protocol/result.ts";
import { isChainVersion, isUnchainedVersion } from "../protocol/versions.ts";
import { type AddPlan, planChainedAdd, planFirstAdd } from "./add.ts";
import { type DelegateCall, delegateCall } from "./call.ts";
import { type CheckPlan, planCheck } from "./check.ts";
import { type DelPlan, planDel, planLenientDel } from "./del.ts";
import { planGc, validAttachments } from "./gc.ts";
import { misplacedKeys } from "./misplaced.ts";
import type { Profiles } from "./profile.ts";
import { type RecordKey, type RoutingPlan, recordKey, type ValidAttachments } from "./record.ts";
import type { DeviceMac } from "./shared-device.ts";
import { delegateName, type Subject, subjectOf } from "./subject.ts";

/** What a wrapper is going to do about a call. Plain data: `run` acts on it. */
export type Plan =
  /** The delegate takes this process's place; nothing of it is read back. */
  | {
      readonly do: "handOver";
      readonly call: DelegateCall;
      /** What the runtime gets where the delegate is missing: an error of the catalogue, or the wrapper's own versions. */
      readonly withoutDelegate: "delegateNotFound" | "unavailable" | "ownVersions";
      /** What was let pass. */
      readonly notes: readonly string[];
      /** The records that go: of the attachment that DEL is about, of all that are not valid any more on GC. */
      readonly forget?: RecordKey | ValidAttachments;
      /** The record of moved routes that goes with DEL. */
      readonly forgetRouting?: RecordKey;
      /** On CHECK: where routes may have been moved. */
      readonly routing?: RoutingPlan;
      /** On CHECK: the device whose MAC is compared only if it is fixed. */
      readonly mac?: DeviceMac;
    }
  /** The delegate is run, and its answer spliced. */
  | ({ readonly do: "splice" } & AddPlan)
  /** The wrapper answers VERSION itself. */
  | { readonly do: "printVersions" }
  /** The runtime gets an error, and nothing is run. */
  | { readonly do: "fail"; readonly error: JsonObject };

export type HandOver = Plan & { readonly do: "handOver" };

/** Plans VERSION: the delegate's answer, or the wrapper's own where the executable's name names no delegate. */
export function planVersion(calledAs: string): Plan {
  const delegate = delegateName(calledAs);
  if (delegate === undefined) return { do: "printVersions" };
  return { ...handOver({ delegate, environment: {} }), withoutDelegate: "ownVersions" };
}

/** Plans a call with a plugin configuration: everything is decided here, before anything is done. */
export function planRequest(request: Request, calledAs: string, profiles: Profiles): Plan {
  try {
    const subject = subjectOf(request, calledAs, profiles);
    const misplaced = misplacedKeys(request.configuration, subject.profile !== undefined);
    if (request.command === "ADD" && misplaced[0]) throw misplaced[0];
    return noting(planVerb(request, subject), misplaced);
  } catch (error) {
    if (!(error instanceof CniError)) throw error;
    return { do: "fail", error: errorResult(error, request.configuration.cniVersion) };
  }
}

function planVerb(request: Request, subject: Subject): Plan {
  switch (request.command) {
    case "ADD":
      return planAdd(request, subject);
    case "CHECK":
      return planChainedCheck(request, subject);
    case "DEL":
      return planChainedDel(request, subject);
    case "GC":
      return withForgotten(handOver(planGc(request, subject)), validAttachments(request));
    case "STATUS":
      return { ...handOver(delegateCall(request, subject)), withoutDelegate: "unavailable" };
    default:
      return request.command satisfies never;
  }
}

function planAdd(request: Request, subject: Subject): Plan {
  const prevResult = chainedResult(request, subject);
  if (prevResult)
    return { do: "splice", ...planChainedAdd(request, subject, prevResult), ...movedBy(request, subject) };
  if (!isChainVersion(request.configuration.cniVersion)) return handOver(delegateCall(request, subject));
  return { do: "splice", ...planFirstAdd(request, subject) };
}

function planChainedCheck(request: Request, subject: Subject): Plan {
  const prevResult = chainedResult(request, subject);
  const { call, ...mac }: CheckPlan = prevResult
    ? planCheck(request, subject, prevResult)
    : { call: delegateCall(request, subject) };
  return { ...handOver(call), ...mac, ...routingOf(request, subject) };
}

function planChainedDel(request: Request, subject: Subject): Plan {
  const { call, notes } = chainedDel(request, subject);
  const key = recordKey(request, subject);
  const plan = { ...handOver(call, notes), ...(subject.profile?.movesRoutes && { forgetRouting: key }) };
  // A meta plugin's DEL comes before that of the creator, whose record it is.
  return subject.role === "meta" ? plan : withForgotten(plan, key);
}

function chainedDel(request: Request, subject: Subject): DelPlan {
  try {
    const prevResult = chainedResult(request, subject);
    return prevResult ? planDel(request, subject, prevResult) : { call: delegateCall(request, subject), notes: [] };
  } catch (error) {
    if (!(error instanceof CniError && error.key === "invalidPrevResult")) throw error;
    return planLenientDel(request, subject, error.message);
  }
}

/** Creators look for routes where they have put them; a meta plugin looks for none but those that it has moved itself. */
function routingOf(request: Request, subject: Subject): { routing?: RoutingPlan } {
  if (subject.role === "meta" || !request.configuration.prevResult) return movedBy(request, subject);
  return { routing: { key: recordKey(request, subject), netns: subject.name.netns, of: "creator" } };
}

function movedBy(request: Request, subject: Subject): { routing?: RoutingPlan } {
  if (!subject.profile?.movesRoutes) return {};
  return { routing: { key: recordKey(request, subject), netns: subject.name.netns, of: "mover" } };
}

/**
 * The prevResult that can be narrowed; none if the delegate gets it as it came. Code 1 if its version has no chains that a
 * wrapper knows, code 7 if it is malformed.
 */
function chainedResult({ command, configuration }: Request, { renamed }: Subject): CniResult | undefined {
  const { prevResult, cniVersion } = configuration;
  if (prevResult === undefined || prevResult === null) return undefined;
  if (!isChainVersion(cniVersion)) {
    // Nothing is narrowed for an interface that is not renamed, and what is there must be removable.
    if (command === "DEL" || (!renamed && isUnchainedVersion(cniVersion))) return undefined;
    throw new CniError("incompatibleVersion", "", `cniVersion is ${cniVersion}`);
  }
  const problem = resultShapeProblem(prevResult, "prevResult");
  if (problem !== undefined) throw new CniError("invalidPrevResult", problem);
  return prevResult;
}

function withForgotten(plan: HandOver, forget: HandOver["forget"]): Plan {
  return forget ? { ...plan, forget } : plan;
}

// An attachment that is there must pass its CHECK and be removable, whatever the list says by now.
function noting(plan: Plan, misplaced: readonly CniError[]): Plan {
  if (plan.do !== "handOver" || misplaced.length === 0) return plan;
  return { ...plan, notes: [...plan.notes, ...misplaced.map(({ message }) => message)] };
}

function handOver(call: DelegateCall, notes: readonly string[] = []): HandOver {
  return { do: "handOver", call, withoutDelegate: "delegateNotFound", notes };
}
