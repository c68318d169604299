import {
  type Attachment,
  type AttachmentSelector,
  containerInterfaceNames,
  findAttachment,
  missingAttachment,
  ownAttachment,
} from "../attachment/attachments.ts";
import { shownResult } from "../attachment/narrow.ts";
import { sharedAddress } from "../attachment/shared-address.ts";
import { completeResult, orderResult, spliceCreator, spliceMeta } from "../attachment/splice.ts";
import { CniError } from "../protocol/errors.ts";
import { indexProblem, type Request } from "../protocol/request.ts";
import { type CniResult, isContainerInterface } from "../protocol/result.ts";
import { type ChainedRecoveryPlan, chainedRecordFile, type RecoveryPlan, type RoutingPlan } from "../record/record.ts";
import { type DelegateCall, delegateCall } from "./call.ts";
import { type ExpectedRecord, expectedRecords } from "./expected-records.ts";
import { instanceOf, listedAs, recordKey } from "./record-key.ts";
import { sharedDeviceName } from "./shared-device.ts";
import type { Target } from "./target.ts";

/** What becomes of the delegate's answer to ADD before the runtime gets it. */
export type Splice =
  /** As it is, put in order if it is not. */
  | { readonly as: "only" }
  /** The first of a chain, under another name than the runtime's: completed and put in order. */
  | { readonly as: "first"; readonly selector: AttachmentSelector }
  /** Appended to prevResult. */
  | { readonly as: "creator"; readonly selector: AttachmentSelector; readonly prevResult: CniResult }
  /** In the place of its attachment of prevResult. */
  | {
      readonly as: "meta";
      readonly selector: AttachmentSelector;
      readonly prevResult: CniResult;
      readonly attachment: Attachment;
    };

/** What ADD asks of the delegate, and what becomes of its answer. */
export interface AddPlan {
  readonly call: DelegateCall;
  readonly splice: Splice;
  /** How ADD is recorded, and a failure healed; for creators only. */
  readonly recovery?: RecoveryPlan;
  /** How an earlier try is undone before ADD; for meta plugins only. */
  readonly chained?: ChainedRecoveryPlan;
  /** For a plugin that moves routes. */
  readonly routing?: RoutingPlan;
  /** What the wrappers of the creators before this one left, if all are wrapped. */
  readonly expectedRecords?: readonly ExpectedRecord[];
}

/** Plans ADD without a prevResult. */
export function planFirstAdd(request: Request, target: Target): AddPlan {
  if (target.renamed) refuseDeviceName(request, target);
  const splice: Splice = target.renamed ? { as: "first", selector: target.selector } : { as: "only" };
  return {
    call: delegateCall(request, target),
    splice,
    ...(target.role === "meta" ? {} : recoveryOf(request, target)),
  };
}

/** Plans ADD behind other plugins; code 7 if a creator's name is taken, 103 if a meta plugin's interface is not there. */
export function planChainedAdd(request: Request, target: Target, prevResult: CniResult): AddPlan {
  const { selector } = target;
  const role = target.role ?? (findAttachment(prevResult, selector.ifName, selector.netns) ? "meta" : "creator");
  const others = containerInterfaceNames(prevResult);
  if (target.profile?.takesOverHostInterface && others.length === 0) return planFirstAdd(request, target);
  if (role === "creator") {
    refuseIndexOutside(prevResult);
    refuseDeviceName(request, target);
    refuseTakenName(prevResult, selector);
    return {
      call: delegateCall(request, target, "none"),
      splice: { as: "creator", selector, prevResult },
      expectedRecords: expectedRecords(request, target, prevResult),
      ...recoveryOf(request, target),
    };
  }
  const chained = chainedRecoveryOf(request, target);
  if (others.length === 0) return { call: delegateCall(request, target), splice: { as: "only" }, ...chained };
  const attachment = ownAttachment(prevResult, selector);
  if (attachment === undefined) throw missingAttachment(selector.ifName, others);
  const shown = shownResult(prevResult, attachment, selector);
  const splice: Splice = shown === prevResult ? { as: "only" } : { as: "meta", selector, prevResult, attachment };
  return { call: delegateCall(request, target, shown), splice, ...chained };
}

/**
 * The result that the runtime gets for the one that the delegate returned; the same object if nothing is to be changed.
 * Code 107 if a creator gave its interface an address that another one has.
 */
export function spliceResult(splice: Splice, delegateResult: CniResult): CniResult {
  switch (splice.as) {
    case "only":
      return orderResult(delegateResult);
    case "first":
      return completeResult(delegateResult, splice.selector);
    case "creator":
      refuseSharedAddress(splice.prevResult, delegateResult, splice.selector);
      return spliceCreator(splice.prevResult, delegateResult, splice.selector);
    case "meta":
      return spliceMeta(splice.prevResult, splice.attachment, delegateResult, splice.selector);
    default:
      return splice satisfies never;
  }
}

function recoveryOf(request: Request, target: Target): Pick<AddPlan, "recovery"> {
  const { netns } = request.variables;
  // Leases outlive a boot, namespaces do not: without CNI_NETNS nothing is touched that was made since.
  const earlierNetns = target.profile?.delNeedsNamespace ? netns : "";
  const mode = request.wrapper.recover ?? "own";
  const { delegate, network: delegateNetwork } = target;
  const recorded = { key: recordKey(request, target), listed: listedAs(request), netns, delegate, delegateNetwork };
  return { recovery: { ...recorded, mode, earlierNetns } };
}

function chainedRecoveryOf(request: Request, target: Target): Pick<AddPlan, "chained"> {
  if (request.wrapper.recover === "never") return {};
  const { delegate, network: delegateNetwork } = target;
  const key = recordKey(request, target);
  const file = chainedRecordFile(key, instanceOf(request, target));
  return { chained: { key, file, netns: request.variables.netns, delegate, delegateNetwork } };
}

function refuseTakenName({ interfaces }: CniResult, { ifName, netns }: AttachmentSelector): void {
  const isTaken = (interfaces ?? []).some(
    (candidate) => isContainerInterface(candidate) && candidate.name === ifName && candidate.sandbox === netns,
  );
  if (isTaken) throw new CniError("interfaceNameTaken", ifName, `an earlier plugin of the list made it in ${netns}`);
}

// Leases of a renamed interface are kept apart, so that two pools of one subnet give the same address.
function refuseSharedAddress(prevResult: CniResult, delegateResult: CniResult, selector: AttachmentSelector): void {
  const shared = sharedAddress(prevResult, delegateResult, selector);
  if (shared) throw new CniError("addressTaken", shared.address, `Interface ${shared.ifName} has it already`);
}

// It would point to one of the interfaces that are appended.
function refuseIndexOutside(prevResult: CniResult): void {
  const problem = indexProblem(prevResult, "prevResult");
  if (problem !== undefined) throw new CniError("invalidPrevResult", problem);
}

// The plugin's CHECK would take the one for the other.
function refuseDeviceName({ configuration }: Request, { profile, selector }: Target): void {
  const device = profile?.sharedDevice && sharedDeviceName(profile.sharedDevice, configuration);
  if (device === selector.ifName) {
    throw new CniError("interfaceNameTaken", selector.ifName, `it is the plugin's own ${profile?.sharedDevice?.key}`);
  }
}
