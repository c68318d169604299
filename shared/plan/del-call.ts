import { type AddedInterface, withAdded } from "../attachment/added.ts";
import { type Attachment, containerInterfaceNames, ownAttachment } from "../attachment/attachments.ts";
import { narrowPrevResult } from "../attachment/narrow.ts";
import { CniError } from "../protocol/errors.ts";
import type { Request } from "../protocol/request.ts";
import type { CniResult } from "../protocol/result.ts";
import { type DelegateCall, delegateCall } from "./call.ts";
import { chainedResult } from "./chained-result.ts";
import type { Removal } from "./plan.ts";
import type { Target } from "./target.ts";

/** The prevResult of a DEL, or why it cannot be read. */
export interface DelInput {
  readonly prevResult?: CniResult;
  readonly problem?: string;
  /** The container interfaces that a meta plugin's ADD added to its attachment. */
  readonly added?: readonly AddedInterface[];
}

/** One call of DEL, with the faults that it does not fail for. */
export type OneCall = Pick<Removal, "notes"> & { readonly call: DelegateCall };

/** Reads the prevResult of a DEL. */
export function delInput(request: Request, target: Target): DelInput {
  try {
    const prevResult = chainedResult(request, target);
    return prevResult ? { prevResult } : {};
  } catch (error) {
    if (!(error instanceof CniError && error.key === "invalidPrevResult")) throw error;
    return { problem: error.message };
  }
}

/**
 * Returns the delegate's DEL, narrowed to its attachment. If the attachment is missing, a creator gets no prevResult and
 * removes what it can find. A meta plugin gets prevResult unchanged.
 */
export function delCall(request: Request, target: Target, input: DelInput): OneCall {
  const { prevResult, problem, added = [] } = input;
  const { selector } = target;
  if (problem !== undefined) return lenientCall(request, target, problem);
  if (prevResult === undefined) return { call: delegateCall(request, target), notes: [] };
  const attachment = ownAttachment(prevResult, selector);
  if (attachment) return narrowedCall(request, target, prevResult, withAdded(prevResult, attachment, added));
  if (containerInterfaceNames(prevResult).length === 0) return { call: delegateCall(request, target), notes: [] };
  return lenientCall(request, target, `interface ${selector.ifName} is not in prevResult`);
}

function narrowedCall(request: Request, target: Target, prevResult: CniResult, attachment: Attachment) {
  try {
    return {
      call: delegateCall(request, target, narrowPrevResult(prevResult, attachment, target.selector)),
      notes: [],
    };
  } catch (error) {
    if (!(error instanceof CniError)) throw error;
    return lenientCall(request, target, error.message);
  }
}

function lenientCall(request: Request, target: Target, reason: string): OneCall {
  const isMeta = target.role === "meta";
  const call = delegateCall(request, target, isMeta ? "as it came" : "none");
  return { call, notes: [`${reason}: the delegate gets ${isMeta ? "all of it" : "no prevResult"}`] };
}
