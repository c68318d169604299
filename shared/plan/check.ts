import { goLookup, isJsonObject } from "../protocol/json.ts";
import type { Request } from "../protocol/request.ts";
import type { CniResult } from "../protocol/result.ts";
import { containerInterfaceNames, findAttachment, missingAttachment } from "./attachments.ts";
import { type DelegateCall, delegateCall } from "./call.ts";
import { narrowResult } from "./narrow.ts";
import { withoutFloatingMac } from "./shared-device.ts";
import type { Subject } from "./subject.ts";

/**
 * Plans CHECK: prevResult is narrowed to the delegate's attachment, and what its CHECK cannot stand is mended; code 103 if
 * the attachment is missing among others. A prevResult without any container interface is passed as it came.
 */
export function planCheck(request: Request, subject: Subject, prevResult: CniResult): DelegateCall {
  const { name, profile } = subject;
  const attachment = findAttachment(prevResult, name.ifName, name.netns);
  const others = attachment ? [] : containerInterfaceNames(prevResult);
  if (others.length > 0) throw missingAttachment(name.ifName, others);
  const narrowed = attachment ? narrowResult(prevResult, attachment, name) : prevResult;
  const device = profile?.sharedDevice;
  const shown = device ? withoutFloatingMac(narrowed, device, request.configuration) : narrowed;
  return withIpam(delegateCall(request, subject, shown), subject);
}

// static checks that there is a prevResult and, without addresses of its own, nothing else.
function withIpam(call: DelegateCall, { profile }: Subject): DelegateCall {
  const ipam = call.configuration && goLookup(call.configuration, "ipam");
  const hasIpam = isJsonObject(ipam) && Boolean(goLookup(ipam, "type"));
  if (!profile?.checkNeedsIpam || hasIpam) return call;
  return { ...call, configuration: { ...call.configuration, ipam: { type: "static" } } };
}
