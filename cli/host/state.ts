import type { Entry } from "../../shared/journal/journal.ts";
import type { Lease } from "../../shared/journal/lease.ts";

/** What wrappers and host-local remember on a host. */
export interface State {
  /** The entries of the wrapped interface plugins. */
  readonly entries: readonly Entry[];
  /** The leases of host-local in its default directory, by network. */
  readonly leases: readonly KeptLease[];
}

/** A lease, and the network under whose name it lies. */
export interface KeptLease extends Lease {
  readonly network: string;
}
