import type { AddedInterface } from "../attachment/added.ts";
import type { Request } from "../protocol/request.ts";
import { delGetsResult } from "../protocol/versions.ts";
import type { AttachmentRecord, Records } from "../record/record.ts";
import { delOf } from "./call.ts";
import { type DelInput, delCall, type OneCall } from "./del-call.ts";
import { withoutForeign, withoutNamespace } from "./foreign.ts";
import { hasOwnLease, inBothNetworks } from "./leased-network.ts";
import { sharesNetwork } from "./list-network.ts";
import type { Removal } from "./plan.ts";
import { recordKey } from "./record-key.ts";
import { keepingRulesOfOthers, recordedAddresses, withAddresses } from "./taken-addresses.ts";
import type { Target } from "./target.ts";

/** The DEL of a meta plugin. Without a file of its ADD, an interface of another attachment is not touched. */
export function metaRemoval(
  request: Request,
  target: Target,
  input: DelInput,
  files: readonly string[],
  records: Records,
): Removal {
  const { profile } = target;
  const kept = !profile || profile.delByAddress || lacksResult(request, input) ? records.read(files) : [];
  const added = profile ? [] : kept.flatMap(({ added = [] }) => added);
  const planned = unrecordedRemoval(request, { ...target, role: "meta" }, { ...input, added }, files);
  const whole = lacksResult(request, input) ? withRecordedResult(planned, kept, added) : planned;
  const complete = profile?.delByAddress ? withRecordedAddresses(whole, kept) : whole;
  const removal = keepingRulesOfOthers(request, target, complete, records);
  const isForeign = files.length === 0 && lacksEvidence(request, [target], input, records);
  return isForeign ? { ...removal, call: withoutNamespace(removal.call) } : removal;
}

/** The DEL with the prevResult of its ADD, which only the record knows: firewall finds its rules by the addresses in it. */
function withRecordedResult(
  removal: Removal & OneCall,
  kept: readonly AttachmentRecord[],
  added: readonly AddedInterface[],
): Removal & OneCall {
  const [prevResult] = kept.flatMap(({ configuration }) => configuration?.prevResult ?? []);
  if (prevResult === undefined) return removal;
  const { call } = removal;
  return { ...removal, call: delOf({ ...call, configuration: { ...call.configuration, prevResult } }, added) };
}

/**
 * The DEL with the addresses of all ADDs of these records. The runtime may have the result of an earlier boot, or none of a try
 * that failed after its rules were made.
 */
function withRecordedAddresses(removal: Removal & OneCall, kept: readonly AttachmentRecord[]): Removal & OneCall {
  const { call } = removal;
  const configuration = withAddresses(call.configuration ?? {}, kept.flatMap(recordedAddresses));
  return { ...removal, call: { ...call, configuration } };
}

/** Whether the runtime would give DEL a result, and has none: ADD never completed, or the result was lost. */
function lacksResult(request: Request, { prevResult, problem }: DelInput): boolean {
  return prevResult === undefined && problem === undefined && delGetsResult(request.configuration.cniVersion);
}

/**
 * The DELs of a creator whose interface has no readable record. The first one deletes the interface, so the others only free
 * leases. They run without a namespace, because host-device's DEL fails if the interface is missing.
 */
export function unrecordedRemovals(
  request: Request,
  target: Target,
  input: DelInput,
  unreadable: readonly string[],
  records: Records,
): readonly Removal[] {
  const key = recordKey(request, target);
  const targets = inBothNetworks(request, target, records);
  const isForeign = unreadable.length === 0 && lacksEvidence(request, targets, input, records);
  return targets.map((one, index) => {
    const removal = unrecordedRemoval(request, one, input, unreadable);
    if (isForeign) return withoutForeign(removal, { ...key, delegateNetwork: one.network }, records);
    return index === 0 ? removal : { ...removal, call: withoutNamespace(removal.call) };
  });
}

/** The DEL of a plugin whose interface has no readable record. */
export function unrecordedRemoval(
  request: Request,
  target: Target,
  input: DelInput,
  forget: readonly string[],
): Removal & OneCall {
  return { ...delCall(request, target, input), again: sharesNetwork(request, target), forget };
}

/**
 * Whether nothing shows that a renamed interface without a record is this attachment's: another attachment of the container has
 * one of that name, or this one has neither a result, because its ADD never completed, nor a lease. The targets
 * differ only in their networks.
 */
function lacksEvidence(
  request: Request,
  targets: readonly [Target, ...Target[]],
  input: DelInput,
  records: Records,
): boolean {
  const [target] = targets;
  if (!target.renamed) return false;
  if (records.belongsToAnother(recordKey(request, target), request.variables.netns)) return true;
  return lacksResult(request, input) && !targets.some((one) => hasOwnLease(request, one, records));
}
