import { containerInterfaceNames, missingAttachment, ownAttachment } from "../attachment/attachments.ts";
import { narrowPrevResult } from "../attachment/narrow.ts";
import type { Call } from "../call/call.ts";
import { delegateCall } from "../call/delegate-call.ts";
import { inLeasedNetwork } from "../call/networks.ts";
import { type AddPlan, type HandOver, planHandOver, type Splice } from "../call/plan.ts";
import { CniError } from "../protocol/errors.ts";
import { indexProblem } from "../protocol/request.ts";
import { type CniResult, listsInterface } from "../protocol/result.ts";
import { isChainVersion } from "../protocol/versions.ts";
import { sharedDeviceOf } from "./fixed-mac.ts";

/** Plans ADD. Code 7 if a name or a subnet is taken, 103 if a chained plugin's interface is missing. */
export function planAdd(given: Call): AddPlan | HandOver {
  const call = { ...given, target: inLeasedNetwork(given) };
  const { prevResult, request } = call;
  if (prevResult) return planChainedAdd(call, prevResult);
  return isChainVersion(request.configuration.cniVersion) ? planFirstAdd(call) : planHandOver(delegateCall(call));
}

/** Plans the first ADD of a chain. Code 7 if a renamed interface would have the name of the plugin's own device. */
function planFirstAdd(call: Call): AddPlan {
  const { renamed, selector } = call.target;
  if (renamed) refuseDeviceName(call);
  const splice: Splice = renamed ? { as: "first", selector } : { as: "only" };
  return { do: "add", call: delegateCall(call), splice };
}

/** Plans ADD after other plugins. Code 7 if a creator's name is taken, 103 if a chained plugin's interface is missing. */
function planChainedAdd(call: Call, prevResult: CniResult): AddPlan {
  const { profile, role, selector } = call.target;
  const others = containerInterfaceNames(prevResult);
  if (profile?.takesOverHostInterface && others.length === 0) return planFirstAdd(call);
  if (role === "creator") {
    const problem = indexProblem(prevResult, "prevResult");
    // Such an index would point to an appended interface.
    if (problem !== undefined) throw new CniError("invalidPrevResult", problem);
    refuseDeviceName(call);
    const { ifName, netns } = selector;
    if (listsInterface(prevResult, { name: ifName, sandbox: netns }))
      throw new CniError("interfaceNameTaken", ifName, `an earlier plugin of the list made it in ${netns}`);
    return { do: "add", call: delegateCall(call, "none"), splice: { as: "creator", selector, prevResult } };
  }
  if (others.length === 0) return { do: "add", call: delegateCall(call), splice: { as: "only" } };
  const attachment = ownAttachment(prevResult, selector);
  if (attachment === undefined) throw missingAttachment(selector.ifName, others);
  const narrowed = narrowPrevResult(prevResult, attachment, selector);
  const splice: Splice = narrowed === prevResult ? { as: "only" } : { as: "meta", selector, prevResult, attachment };
  return { do: "add", call: delegateCall(call, narrowed), splice };
}

// The plugin's CHECK would confuse the two.
function refuseDeviceName(call: Call): void {
  const { profile, selector } = call.target;
  if (sharedDeviceOf(call) === selector.ifName)
    throw new CniError("interfaceNameTaken", selector.ifName, `it is the plugin's own ${profile?.sharedDevice?.key}`);
}
