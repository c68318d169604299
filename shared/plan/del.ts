import type { Request } from "../protocol/request.ts";
import type { CniResult } from "../protocol/result.ts";
import { containerInterfaceNames, ownAttachment } from "./attachments.ts";
import { type DelegateCall, delegateCall } from "./call.ts";
import { shownResult } from "./narrow.ts";
import type { Subject } from "./subject.ts";

/** What DEL asks of the delegate, and what was let pass for it. */
export interface DelPlan {
  readonly call: DelegateCall;
  readonly notes: readonly string[];
}

/**
 * Plans DEL, which must not fail for what prevResult says: narrowed to the attachment; if that is missing, a creator gets no
 * prevResult, with which it removes what it can find, and a meta plugin gets it as it came.
 */
export function planDel(request: Request, subject: Subject, prevResult: CniResult): DelPlan {
  const { name } = subject;
  const attachment = ownAttachment(prevResult, name);
  if (attachment) return { call: delegateCall(request, subject, shownResult(prevResult, attachment, name)), notes: [] };
  if (containerInterfaceNames(prevResult).length === 0) return { call: delegateCall(request, subject), notes: [] };
  return planLenientDel(request, subject, `interface ${name.ifName} is not in prevResult`);
}

/** Plans DEL where the attachment cannot be found in prevResult, for the reason given. */
export function planLenientDel(request: Request, subject: Subject, reason: string): DelPlan {
  const isMeta = subject.role === "meta";
  const call = delegateCall(request, subject, isMeta ? "as it came" : "none");
  return { call, notes: [`${reason}: the delegate gets ${isMeta ? "it as it came" : "none"}`] };
}
