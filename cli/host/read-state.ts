import { readdirSync } from "node:fs";
import { resolve } from "node:path";
import { leaseDirectory } from "../../shared/journal/lease.ts";
import { withPath } from "../trouble.ts";
import { entriesIn, Memory } from "./memory.ts";
import type { State } from "./state.ts";

/** Reads a directory like /var/lib/cni: `wrappers` has the journals, `networks` has host-local's leases. */
export function readState(path: string, directory: string): State {
  const root = resolve(directory, path);
  withPath(path, () => readdirSync(root));
  const memory = new Memory(root);
  const leases = memory
    .leaseNetworks()
    .flatMap((network) => memory.leases(`${leaseDirectory}/${network}`).map((lease) => ({ network, ...lease })));
  return { entries: entriesIn(memory.journals()).filter(({ role }) => role === "creator"), leases };
}
