import type { AttachmentRecord, Lease } from "../../shared/record/record.ts";

/** What wrappers and host-local remember on a host. */
export interface State {
  /** The records of the interfaces that wrapped creators made. */
  readonly records: readonly AttachmentRecord[];
  /** The leases of host-local in its default directory, by network. */
  readonly leases: readonly KeptLease[];
}

/** A lease, and the network under whose name it lies. */
export interface KeptLease extends Lease {
  readonly network: string;
}
