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
import { delegateName, type Target, targetOf } from "./target.ts";

/** The decision about a call, as plain data: `run` acts on it. */
export type Plan =
  /** The delegate answers the runtime. The wrapper does not change its answer. */
  | {
      readonly do: "handOver";
      readonly call: DelegateCall;
      /** The answer if the delegate is missing: an error of the catalogue, or the wrapper's own versions. */
      readonly withoutDelegate: "delegateNotFound" | "unavailable" | "ownVersions";
      /** Runs if `call` fails; then its answer counts. */
      readonly fallback?: DelegateCall;
      /** Acted on in this order, before the delegate runs. */
      readonly effects: readonly Effect[];
    }
  /** The wrapper runs the delegate's DEL, more than once if the list has changed, and deletes its records. */
  | { readonly do: "remove"; readonly removals: readonly Removal[] }
  /** The wrapper runs the delegate and splices its answer. */
  | ({ readonly do: "splice" } & AddPlan)
  /** The wrapper answers VERSION itself. */
  | { readonly do: "printVersions" }
  /** The runtime gets an error, and nothing runs. */
  | { readonly do: "fail"; readonly error: JsonObject };

/** The plan for a call that the delegate answers. */
export type HandOver = Plan & { readonly do: "handOver" };

/** A step before a call is handed over. It may change the call. */
export type Effect =
  /** Log a fault that does not fail the call. */
  | { readonly do: "warn"; readonly message: string }
  /** Let `wrapper.jq` rewrite the configuration. */
  | { readonly do: "applyFilter" }
  /** On GC: remove what belongs to attachments that are no longer valid. */
  | { readonly do: "collectGarbage"; readonly garbage: GcRemovals }
  /** On CHECK: compare the MAC of a device only if it is fixed. */
  | { readonly do: "compareFixedMac"; readonly mac: DeviceMac }
  /** On CHECK: look for moved routes where they are now. */
  | { readonly do: "followMovedRoutes"; readonly routing: RoutingPlan };

/** Plans VERSION: the delegate's answer, or the wrapper's own if the executable's name does not name a delegate. */
export function planVersion(calledAs: string): Plan {
  const delegate = delegateName(calledAs);
  if (delegate === undefined) return { do: "printVersions" };
  return { ...planHandOver({ delegate, environment: {} }), withoutDelegate: "ownVersions" };
}

/** Plans a call with a plugin configuration. Everything is decided here, before anything is done. */
export function planRequest(request: Request, calledAs: string, profiles: Profiles, records: Records): Plan {
  try {
    const target = targetOf(request, calledAs, profiles);
    const misplaced = misplacedIn(request.configuration, target);
    if (request.command === "ADD" && misplaced[0]) throw misplaced[0];
    return noting(planVerb(request, target, profiles, records), misplaced);
  } catch (error) {
    if (!(error instanceof CniError)) throw error;
    return { do: "fail", error: errorResult(error, request.configuration.cniVersion) };
  }
}

function planVerb(request: Request, target: Target, profiles: Profiles, records: Records): Plan {
  switch (request.command) {
    case "ADD":
      return planAdd(request, inLeasedNetwork(request, target, records));
    case "CHECK":
      return planChainedCheck(request, target, records);
    case "DEL":
      return planRemovals(planDel(request, target, profiles, records, delInput(request, target)));
    case "GC":
      return planHandOver(planGc(request, target), {
        after: [{ do: "collectGarbage", garbage: planGcRemovals(request, target, profiles, records) }],
      });
    case "STATUS":
      return { ...planHandOver(delegateCall(request, target)), withoutDelegate: "unavailable" };
    default:
      return request.command satisfies never;
  }
}

function planAdd(request: Request, target: Target): Plan {
  const prevResult = chainedResult(request, target);
  if (prevResult) return { do: "splice", ...planChainedAdd(request, target, prevResult), ...movedBy(request, target) };
  if (!isChainVersion(request.configuration.cniVersion)) return planHandOver(delegateCall(request, target));
  return { do: "splice", ...planFirstAdd(request, target) };
}

/**
 * Plans CHECK. A renamed interface without a record was made by something else, such as a script. Its leases are under the
 * list's own name, so a failed CHECK is run again under that name. That CHECK looks for the same addresses, links and routes.
 */
function planChainedCheck(request: Request, configured: Target, records: Records): Plan {
  const record = records.find(recordKey(request, configured))?.record;
  const target = record ? inNetworkOf(configured, record) : configured;
  const prevResult = chainedResult(request, target);
  const { call, mac }: CheckPlan = prevResult
    ? planCheck(request, target, prevResult)
    : { call: delegateCall(request, target) };
  const { routing } = routingOf(request, target);
  const plan = planHandOver(call, {
    before: mac ? [{ do: "compareFixedMac", mac }] : [],
    after: routing ? [{ do: "followMovedRoutes", routing }] : [],
  });
  const other = record ? undefined : listNetwork(request, target);
  if (other === undefined) return plan;
  return { ...plan, fallback: { ...call, configuration: { ...call.configuration, name: other } } };
}

// The wrapper must wait for a DEL if records depend on it or if another DEL follows.
function planRemovals(removals: readonly Removal[]): Plan {
  const [first] = removals;
  const isAwaited = removals.length > 1 || first?.again || first?.otherwise || first?.forget.length !== 0;
  if (first?.call === undefined || isAwaited) return { do: "remove", removals };
  return planHandOver(first.call, { before: first.notes.map(warning) });
}

function delInput(request: Request, target: Target): DelInput {
  try {
    const prevResult = chainedResult(request, target);
    return prevResult ? { prevResult } : {};
  } catch (error) {
    if (!(error instanceof CniError && error.key === "invalidPrevResult")) throw error;
    return { problem: error.message };
  }
}

/** Creators look for routes where they put them. A meta plugin looks only for routes that it moved itself. */
function routingOf(request: Request, target: Target): { routing?: RoutingPlan } {
  if (target.role === "meta" || !request.configuration.prevResult) return movedBy(request, target);
  return { routing: { key: recordKey(request, target), netns: target.selector.netns, of: "creator" } };
}

function movedBy(request: Request, target: Target): { routing?: RoutingPlan } {
  if (!target.profile?.movesRoutes) return {};
  return { routing: { key: recordKey(request, target), netns: target.selector.netns, of: "mover" } };
}

/**
 * Returns the prevResult to narrow; undefined if the delegate gets it unchanged. Code 1 if the wrapper knows no chains of its
 * version, code 7 if it is malformed.
 */
function chainedResult({ command, configuration }: Request, { renamed }: Target): CniResult | undefined {
  const { prevResult, cniVersion } = configuration;
  if (prevResult === undefined || prevResult === null) return undefined;
  if (!isChainVersion(cniVersion)) {
    // An interface that is not renamed needs no narrowing, and an attachment must always be removable.
    if (command === "DEL" || (!renamed && isUnchainedVersion(cniVersion))) return undefined;
    throw new CniError("incompatibleVersion", "", `cniVersion is ${cniVersion}`);
  }
  const problem = resultShapeProblem(prevResult, "prevResult");
  if (problem !== undefined) throw new CniError("invalidPrevResult", problem);
  return prevResult;
}

function misplacedIn(configuration: JsonObject, { profile }: Target): readonly CniError[] {
  return hasSuspectKey(configuration) ? misplacedKeys(configuration, profile !== undefined) : [];
}

// An existing attachment must pass CHECK and be removable, even if the list has changed.
function noting(plan: Plan, misplaced: readonly CniError[]): Plan {
  const notes = misplaced.map(({ message }) => message);
  if (notes.length === 0) return plan;
  if (plan.do === "handOver") return { ...plan, effects: [...notes.map(warning), ...plan.effects] };
  if (plan.do !== "remove") return plan;
  const [first, ...others] = plan.removals;
  return first ? { ...plan, removals: [{ ...first, notes: [...first.notes, ...notes] }, ...others] } : plan;
}

/** Plans to hand a call over, with the effects before and after `wrapper.jq`. */
function planHandOver(call: DelegateCall, { before = [], after = [] }: Surrounding = {}): HandOver {
  const effects: Effect[] = [...before, ...(call.filter ? [{ do: "applyFilter" } as const] : []), ...after];
  return { do: "handOver", call, withoutDelegate: "delegateNotFound", effects };
}

interface Surrounding {
  readonly before?: readonly Effect[];
  readonly after?: readonly Effect[];
}

function warning(message: string): Effect {
  return { do: "warn", message };
}
