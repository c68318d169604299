import type { LeaseOwner, Records } from "../record/record.ts";
import type { DelegateCall } from "./call.ts";
import type { Removal } from "./plan.ts";

/**
 * Returns the DEL of an attachment that has no interface in the namespace. One of that name belongs to another attachment, so
 * DEL runs without a namespace. If another attachment of the container may have the same leases, DEL does not run.
 */
export function withoutForeign(removal: Removal, record: LeaseOwner, records: Records): Removal {
  if (records.mayShareLeases(record)) return withoutDel(removal);
  return { ...removal, call: withoutNamespace(removal.call) };
}

/** The removal of a record whose leases belong to another attachment of the container. */
export function withoutDel(removal: Removal): Removal {
  return { ...removal, call: undefined, notes: [...removal.notes, othersLeases] };
}

const othersLeases = "the interface and its leases belong to another attachment of this container: DEL is skipped";

/** The call without a namespace: it frees leases, and touches no interface. */
export function withoutNamespace(call: DelegateCall | undefined): DelegateCall | undefined {
  return call && { ...call, environment: { ...call.environment, CNI_NETNS: "" } };
}
