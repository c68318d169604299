import { type AddedInterface, withAdded } from "../attachment/added.ts";
import { containerInterfaceNames, missingAttachment, ownAttachment } from "../attachment/attachments.ts";
import { narrowPrevResult } from "../attachment/narrow.ts";
import { goLookup, isJsonObject } from "../protocol/json.ts";
import type { Request } from "../protocol/request.ts";
import type { CniResult } from "../protocol/result.ts";
import type { Records } from "../record/record.ts";
import { addedBy } from "./added-by.ts";
import { type DelegateCall, delegateCall } from "./call.ts";
import { chainedResult } from "./chained-result.ts";
import { inNetworkOf, listNetwork } from "./list-network.ts";
import type { Plan } from "./plan.ts";
import { planHandOver } from "./plan-hand-over.ts";
import { recordKey } from "./record-key.ts";
import { routingOf } from "./routing-plan.ts";
import { type DeviceMac, deviceMac } from "./shared-device.ts";
import type { Target } from "./target.ts";

/**
 * Plans CHECK. A renamed interface without a record was made by something else, such as a script. Its leases are under the
 * list's own name, so a failed CHECK is run again under that name. That CHECK looks for the same addresses, links and routes.
 */
export function planCheck(request: Request, configured: Target, records: Records): Plan {
  const record = records.find(recordKey(request, configured))?.record;
  const target = record ? inNetworkOf(configured, record) : configured;
  const prevResult = chainedResult(request, target);
  const { call, mac }: NarrowedCheck = prevResult
    ? narrowCheck(
        request,
        target,
        prevResult,
        record?.delegate === target.delegate ? [] : addedBy(request, target, records),
      )
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

/** The delegate's call for CHECK. */
interface NarrowedCheck {
  readonly call: DelegateCall;
  /** The device whose MAC is removed from prevResult unless it is fixed. */
  readonly mac?: DeviceMac;
}

/**
 * Narrows prevResult to the delegate's attachment and works around known CHECK bugs. Code 103 if the attachment
 * is missing among others. A prevResult without any container interface is passed unchanged.
 */
export function narrowCheck(
  request: Request,
  target: Target,
  prevResult: CniResult,
  added: readonly AddedInterface[] = [],
): NarrowedCheck {
  const { profile, selector } = target;
  const attachment = ownAttachment(prevResult, selector);
  const others = attachment ? [] : containerInterfaceNames(prevResult);
  if (others.length > 0) throw missingAttachment(selector.ifName, others);
  const narrowed = attachment
    ? narrowPrevResult(prevResult, withAdded(prevResult, attachment, added), selector)
    : prevResult;
  const mac = profile?.sharedDevice && deviceMac(narrowed, profile.sharedDevice, request.configuration);
  return { call: withIpam(delegateCall(request, target, narrowed), target), ...(mac && { mac }) };
}

// Without addresses of its own, static checks only that there is a prevResult.
function withIpam(call: DelegateCall, { profile }: Target): DelegateCall {
  if (!profile?.checkNeedsIpam) return call;
  const ipam = call.configuration && goLookup(call.configuration, "ipam");
  if (isJsonObject(ipam) && goLookup(ipam, "type")) return call;
  return { ...call, configuration: { ...call.configuration, ipam: { type: "static" } } };
}
