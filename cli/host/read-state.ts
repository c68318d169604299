import { existsSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { readFile } from "../../shared/host/node/files.ts";
import { parseLease } from "../../shared/record/record.ts";
import { withPath } from "../trouble.ts";
import { readRecords } from "./records.ts";
import type { KeptLease, State } from "./state.ts";

/** Reads a directory like /var/lib/cni: `wrappers` has the records, `networks` has host-local's leases. */
export function readState(path: string, directory: string): State {
  const root = resolve(directory, path);
  withPath(path, () => readdirSync(root));
  const wrappers = join(root, "wrappers");
  const records = readRecords(filesIn(wrappers), wrappers);
  const leases = filesIn(join(root, "networks")).flatMap((network) =>
    leasesIn(join(root, "networks", network), network),
  );
  return { records, leases };
}

function leasesIn(folder: string, network: string): readonly KeptLease[] {
  return filesIn(folder).flatMap((address) => {
    // Leases of old versions and host-local's own files name no interface.
    const lease = parseLease(address, readFile(join(folder, address)) ?? "");
    return lease ? [{ network, ...lease }] : [];
  });
}

function filesIn(folder: string): readonly string[] {
  return existsSync(folder) ? withPath(folder, () => readdirSync(folder)).sort() : [];
}
