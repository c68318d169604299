import type { Request } from "../protocol/request.ts";
import { delGetsResult } from "../protocol/versions.ts";
import type { Records } from "../record/record.ts";
import { type DelInput, delCall } from "./del-call.ts";
import { withoutForeign, withoutNamespace } from "./foreign.ts";
import { hasOwnLease, inBothNetworks } from "./leased-network.ts";
import { sharesNetwork } from "./list-network.ts";
import type { Removal } from "./plan.ts";
import { recordKey } from "./record-key.ts";
import type { Target } from "./target.ts";

/** The files of an attachment that has no readable record: an unreadable record, or the files of a meta plugin. */
type Files = readonly string[];

/** The DEL of a meta plugin. Without a file of its ADD, an interface of another attachment is not touched. */
export function metaRemoval(
  request: Request,
  target: Target,
  input: DelInput,
  files: Files,
  records: Records,
): Removal {
  const { call, notes } = delCall(request, { ...target, role: "meta" }, input);
  const isForeign = files.length === 0 && lacksEvidence(request, target, input, records);
  return { call: isForeign ? withoutNamespace(call) : call, again: false, forget: files, notes };
}

/** The DELs of a creator whose interface has no readable record. */
export function unrecordedRemovals(
  request: Request,
  target: Target,
  input: DelInput,
  unreadable: Files,
  records: Records,
): readonly Removal[] {
  const key = recordKey(request, target);
  const targets = inBothNetworks(request, target, records);
  const removals = inTurn(targets.map((one) => unrecordedRemoval(request, one, input, unreadable)));
  if (unreadable.length > 0 || !lacksEvidence(request, target, input, records)) return removals;
  return removals.map((removal, index) =>
    withoutForeign(removal, { ...key, delegateNetwork: targets[index]?.network ?? "" }, records),
  );
}

/** The DEL of a plugin whose interface has no readable record. */
export function unrecordedRemoval(request: Request, target: Target, input: DelInput, unreadable: Files): Removal {
  return { ...delCall(request, target, input), again: sharesNetwork(request, target), forget: unreadable };
}

/**
 * Whether nothing shows that a renamed interface without a record is this attachment's: another attachment of the container has
 * one of that name, or this one has neither a result, because its ADD never completed, nor a lease.
 */
function lacksEvidence(request: Request, target: Target, { prevResult, problem }: DelInput, records: Records): boolean {
  if (!target.renamed) return false;
  const isUncompleted =
    prevResult === undefined && problem === undefined && delGetsResult(request.configuration.cniVersion);
  const hasLease = inBothNetworks(request, target, records).some((one) => hasOwnLease(request, one, records));
  return (isUncompleted && !hasLease) || records.belongsToAnother(recordKey(request, target), request.variables.netns);
}

/**
 * The first removal deletes the interface, so the others only free leases. They run without a namespace, because
 * host-device's DEL fails if the interface is missing.
 */
function inTurn(removals: readonly Removal[]): readonly Removal[] {
  return removals.map((removal, index) =>
    index === 0 ? removal : { ...removal, call: withoutNamespace(removal.call) },
  );
}
