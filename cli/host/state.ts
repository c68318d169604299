import { readdirSync } from "node:fs";
import { resolve } from "node:path";
import { type Lease, leaseDirectory } from "../../shared/journal/host-files.ts";
import type { Entry } from "../../shared/journal/journal.ts";
import { withPath } from "../trouble.ts";
import { entriesIn, Memory, stateDirectory } from "./memory.ts";

/** What wrappers and host-local remember on a host. */
export interface State {
  /** The entries of the wrapped interface plugins. */
  readonly entries: readonly Entry[];
  /** The leases of host-local in its default directory, by network. */
  readonly leases: readonly KeptLease[];
  /** The journals that cannot be read, with the reason. */
  readonly unreadable: readonly string[];
}

/** A lease, and the network under whose name it lies. */
interface KeptLease extends Lease {
  readonly network: string;
}

/** Reads a directory like /var/lib/cni: `wrappers` has the journals, `networks` has host-local's leases. */
export function readState(path: string, directory: string): State {
  const root = resolve(directory, path);
  withPath(path, () => readdirSync(root));
  const memory = new Memory(root);
  const leases = memory
    .leaseNetworks()
    .flatMap((network) => memory.leases(`${leaseDirectory}/${network}`).map((lease) => ({ network, ...lease })));
  const unreadable: string[] = [];
  const leaveOut = (file: string, why: string) => void unreadable.push(`${file.replace(stateDirectory, path)}: ${why}`);
  const journals = memory.files(leaveOut).flatMap(({ journal }) => journal ?? []);
  return { entries: entriesIn(journals).filter(({ role }) => role === "creator"), leases, unreadable };
}
