import {
  type AttachmentSelector,
  containerInterfaceNames,
  findAttachment,
  missingAttachment,
  ownAttachment,
} from "../attachment/attachments.ts";
import { narrowPrevResult } from "../attachment/narrow.ts";
import { sharedAddress } from "../attachment/shared-address.ts";
import { completeResult, orderResult, spliceCreator, spliceMeta } from "../attachment/splice.ts";
import { CniError } from "../protocol/errors.ts";
import { indexProblem, type Request } from "../protocol/request.ts";
import type { CniResult } from "../protocol/result.ts";
import { isChainVersion } from "../protocol/versions.ts";
import { metaRecordFile, type Records } from "../record/record.ts";
import { delegateCall } from "./call.ts";
import { chainedResult } from "./chained-result.ts";
import { expectedRecords } from "./expected-records.ts";
import { inLeasedNetwork } from "./leased-network.ts";
import { instanceOf, listedAs } from "./listed.ts";
import type { AddPlan, Plan, Splice } from "./plan.ts";
import { planHandOver } from "./plan-hand-over.ts";
import { recordKey } from "./record-key.ts";
import { movedBy } from "./routing-plan.ts";
import { sharedDeviceName } from "./shared-device.ts";
import type { Target } from "./target.ts";

/** Plans ADD. Code 7 if a name or a subnet is taken, 103 if a meta plugin's interface is missing. */
export function planAdd(request: Request, configured: Target, records: Records): Plan {
  const target = inLeasedNetwork(request, configured, records);
  const prevResult = chainedResult(request, target);
  if (prevResult) return { do: "splice", ...planChainedAdd(request, target, prevResult), ...movedBy(request, target) };
  if (!isChainVersion(request.configuration.cniVersion)) return planHandOver(delegateCall(request, target));
  return { do: "splice", ...planFirstAdd(request, target) };
}

/** Plans the first ADD of a chain. Code 7 if a renamed interface would have the name of the plugin's own device. */
export function planFirstAdd(request: Request, target: Target): AddPlan {
  if (target.renamed) refuseDeviceName(request, target);
  const splice: Splice = target.renamed ? { as: "first", selector: target.selector } : { as: "only" };
  return {
    call: delegateCall(request, target),
    splice,
    ...(target.role === "meta" ? {} : recoveryOf(request, target)),
  };
}

/** Plans ADD after other plugins. Code 7 if a creator's name is taken, 103 if a meta plugin's interface is missing. */
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
  const metaRecovery = metaRecoveryOf(request, target);
  if (others.length === 0) return { call: delegateCall(request, target), splice: { as: "only" }, ...metaRecovery };
  const attachment = ownAttachment(prevResult, selector);
  if (attachment === undefined) throw missingAttachment(selector.ifName, others);
  const narrowed = narrowPrevResult(prevResult, attachment, selector);
  const splice: Splice = narrowed === prevResult ? { as: "only" } : { as: "meta", selector, prevResult, attachment };
  return { call: delegateCall(request, target, narrowed), splice, ...metaRecovery };
}

/**
 * Returns the result for the runtime, or the delegate's own object if nothing changes. Code 107 if a creator gave its
 * interface an address that another interface has.
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
  // Leases outlive a boot, namespaces do not. Without CNI_NETNS, DEL touches nothing that was made since the boot.
  const earlierNetns = target.profile?.delNeedsNamespace ? netns : "";
  const mode = request.wrapper.recover ?? "own";
  const { delegate, network: delegateNetwork } = target;
  const recorded = { key: recordKey(request, target), listed: listedAs(request), netns, delegate, delegateNetwork };
  return { recovery: { ...recorded, mode, earlierNetns } };
}

function metaRecoveryOf(request: Request, target: Target): Pick<AddPlan, "metaRecovery"> {
  if (request.wrapper.recover === "never") return {};
  const { delegate, network: delegateNetwork } = target;
  const key = recordKey(request, target);
  const file = metaRecordFile(key, instanceOf(request, target));
  return { metaRecovery: { key, file, netns: request.variables.netns, delegate, delegateNetwork } };
}

function refuseTakenName({ interfaces }: CniResult, { ifName, netns }: AttachmentSelector): void {
  const isTaken = (interfaces ?? []).some(({ name, sandbox }) => name === ifName && sandbox === netns);
  if (isTaken) throw new CniError("interfaceNameTaken", ifName, `an earlier plugin of the list made it in ${netns}`);
}

// A renamed interface has its own leases, so two pools of one subnet may give the same address.
function refuseSharedAddress(prevResult: CniResult, delegateResult: CniResult, selector: AttachmentSelector): void {
  const shared = sharedAddress(prevResult, delegateResult, selector);
  if (shared) throw new CniError("addressTaken", shared.address, `Interface ${shared.ifName} has it already`);
}

// Such an index would point to an appended interface.
function refuseIndexOutside(prevResult: CniResult): void {
  const problem = indexProblem(prevResult, "prevResult");
  if (problem !== undefined) throw new CniError("invalidPrevResult", problem);
}

// The plugin's CHECK would confuse the two.
function refuseDeviceName({ configuration }: Request, { profile, selector }: Target): void {
  const device = profile?.sharedDevice && sharedDeviceName(profile.sharedDevice, configuration);
  if (device === selector.ifName) {
    throw new CniError("interfaceNameTaken", selector.ifName, `it is the plugin's own ${profile?.sharedDevice?.key}`);
  }
}
