import { CniError, errorResult } from "../protocol/errors.ts";
import type { JsonObject } from "../protocol/json.ts";
import { resultShapeProblem } from "../protocol/problem.ts";
import type { Request } from "../protocol/request.ts";
import type { CniResult } from "../protocol/result.ts";
import { isChainVersion, isUnchainedVersion } from "../protocol/versions.ts";
import type { Records, RoutingPlan } from "../record/record.ts";
import { type AddPlan, planChainedAdd, planFirstAdd } from "./add.ts";
import { type DelegateCall, delegateCall } from "./call.ts";
import { type CheckPlan, planCheck } from "./check.ts";
import { type DelInput, planDel, type Removal } from "./del.ts";
import { type GcRemovals, planGc, planGcRemovals } from "./gc.ts";
import { inLeasedNetwork, inNetworkOf, listNetwork } from "./list-network.ts";
import { misplacedKeys } from "./misplaced.ts";
import type { Profiles } from "./profile.ts";
import { recordKey } from "./record-key.ts";
import type { DeviceMac } from "./shared-device.ts";
import { hasSuspectKey } from "./suspect.ts";
import { delegateName, type Subject, subjectOf } from "./target.ts";

/** What a wrapper is going to do about a call. Plain data: `run` acts on it. */
export type Plan =
  /** The delegate takes this process's place; nothing of it is read back. */
  | {
      readonly do: "handOver";
      readonly call: DelegateCall;
      /** What the runtime gets where the delegate is missing: an error of the catalogue, or the wrapper's own versions. */
      readonly withoutDelegate: "delegateNotFound" | "unavailable" | "ownVersions";
      /** Faults that the call does not fail for. */
      readonly notes: readonly string[];
      /** Run if `call` fails, and then its answer counts. */
      readonly fallback?: DelegateCall;
      /** On GC: what is cleaned up before. */
      readonly removals?: GcRemovals;
      /** On CHECK: where routes may have been moved. */
      readonly routing?: RoutingPlan;
      /** On CHECK: the device whose MAC is compared only if it is fixed. */
      readonly mac?: DeviceMac;
    }
  /** The delegate's DEL is run, more than once if the list has changed, and its records go. */
  | { readonly do: "remove"; readonly removals: readonly Removal[] }
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
export function planRequest(request: Request, calledAs: string, profiles: Profiles, records: Records): Plan {
  try {
    const subject = subjectOf(request, calledAs, profiles);
    const misplaced = misplacedIn(request.configuration, subject);
    if (request.command === "ADD" && misplaced[0]) throw misplaced[0];
    return noting(planVerb(request, subject, profiles, records), misplaced);
  } catch (error) {
    if (!(error instanceof CniError)) throw error;
    return { do: "fail", error: errorResult(error, request.configuration.cniVersion) };
  }
}

function planVerb(request: Request, subject: Subject, profiles: Profiles, records: Records): Plan {
  switch (request.command) {
    case "ADD":
      return planAdd(request, inLeasedNetwork(request, subject, records));
    case "CHECK":
      return planChainedCheck(request, subject, records);
    case "DEL":
      return planRemovals(planDel(request, subject, profiles, records, delInput(request, subject)));
    case "GC":
      return {
        ...handOver(planGc(request, subject)),
        removals: planGcRemovals(request, subject, profiles, records),
      };
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

/**
 * A renamed interface without a record was made by something else, a script say: its leases lie under the list's own name, so
 * that a CHECK that fails is run once more under that. It looks for the same addresses, links and routes.
 */
function planChainedCheck(request: Request, configured: Subject, records: Records): Plan {
  const record = records.find(recordKey(request, configured))?.record;
  const subject = record ? inNetworkOf(configured, record) : configured;
  const prevResult = chainedResult(request, subject);
  const { call, ...mac }: CheckPlan = prevResult
    ? planCheck(request, subject, prevResult)
    : { call: delegateCall(request, subject) };
  const plan = { ...handOver(call), ...mac, ...routingOf(request, subject) };
  const other = record ? undefined : listNetwork(request, subject);
  if (other === undefined) return plan;
  return { ...plan, fallback: { ...call, configuration: { ...call.configuration, name: other } } };
}

// Somebody has to wait for the DEL that a record goes with, and for the first of several.
function planRemovals(removals: readonly Removal[]): Plan {
  const [first] = removals;
  const isAwaited = removals.length > 1 || first?.again || first?.otherwise || first?.forget.length !== 0;
  if (first?.call === undefined || isAwaited) return { do: "remove", removals };
  return { ...handOver(first.call), notes: first.notes };
}

function delInput(request: Request, subject: Subject): DelInput {
  try {
    const prevResult = chainedResult(request, subject);
    return prevResult ? { prevResult } : {};
  } catch (error) {
    if (!(error instanceof CniError && error.key === "invalidPrevResult")) throw error;
    return { problem: error.message };
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

function misplacedIn(configuration: JsonObject, { profile }: Subject): readonly CniError[] {
  return hasSuspectKey(configuration) ? misplacedKeys(configuration, profile !== undefined) : [];
}

// An attachment that is there must pass its CHECK and be removable, whatever the list says by now.
function noting(plan: Plan, misplaced: readonly CniError[]): Plan {
  const notes = misplaced.map(({ message }) => message);
  if (notes.length === 0) return plan;
  if (plan.do === "handOver") return { ...plan, notes: [...plan.notes, ...notes] };
  if (plan.do !== "remove") return plan;
  const [first, ...others] = plan.removals;
  return first ? { ...plan, removals: [{ ...first, notes: [...first.notes, ...notes] }, ...others] } : plan;
}

function handOver(call: DelegateCall): HandOver {
  return { do: "handOver", call, withoutDelegate: "delegateNotFound", notes: [] };
}
