import { containerInterfaceNames, missingAttachment, ownAttachment } from "../attachment/attachments.ts";
import { narrowPrevResult } from "../attachment/narrow.ts";
import { goLookup, isJsonObject } from "../protocol/json.ts";
import type { Request } from "../protocol/request.ts";
import type { CniResult } from "../protocol/result.ts";
import { type DelegateCall, delegateCall } from "./call.ts";
import { type DeviceMac, deviceMac } from "./shared-device.ts";
import type { Target } from "./target.ts";

/** The delegate's call for CHECK. */
export interface CheckPlan {
  readonly call: DelegateCall;
  /** The device whose MAC is removed from prevResult unless it is fixed. */
  readonly mac?: DeviceMac;
}

/**
 * Plans CHECK: narrows prevResult to the delegate's attachment and works around known CHECK bugs. Code 103 if the attachment
 * is missing among others. A prevResult without any container interface is passed unchanged.
 */
export function planCheck(request: Request, target: Target, prevResult: CniResult): CheckPlan {
  const { profile, selector } = target;
  const attachment = ownAttachment(prevResult, selector);
  const others = attachment ? [] : containerInterfaceNames(prevResult);
  if (others.length > 0) throw missingAttachment(selector.ifName, others);
  const narrowed = attachment ? narrowPrevResult(prevResult, attachment, selector) : prevResult;
  const mac = profile?.sharedDevice && deviceMac(narrowed, profile.sharedDevice, request.configuration);
  return { call: withIpam(delegateCall(request, target, narrowed), target), ...(mac && { mac }) };
}

// Without addresses of its own, static checks only that there is a prevResult.
function withIpam(call: DelegateCall, { profile }: Target): DelegateCall {
  const ipam = call.configuration && goLookup(call.configuration, "ipam");
  const hasIpam = isJsonObject(ipam) && Boolean(goLookup(ipam, "type"));
  if (!profile?.checkNeedsIpam || hasIpam) return call;
  return { ...call, configuration: { ...call.configuration, ipam: { type: "static" } } };
}
