import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isJsonObject, parseJsonObject } from "../../shared/protocol/json.ts";
import { recordDirectory, recordFile } from "../../shared/record/record.ts";
import { withPath } from "../trouble.ts";

/** A running attachment of a list, of which a wrapper made at most a part. */
export interface OlderAttachment {
  readonly containerId: string;
  /** Its container interfaces, in the order of the list. */
  readonly interfaces: readonly string[];
  /** The interfaces that have no wrapper's record, and a lease under the list's own name. */
  readonly leased: readonly string[];
}

/** The default of `--state`: libcni's, host-local's and the wrappers' own directories are in it. */
export const stateDirectory = "/var/lib/cni";

/**
 * Reads which attachments of a network something other than the wrappers made: libcni's cache has their results, and at least
 * one interface that is not the runtime's has no record. `leaseDirectories` are host-local's, without the network's name.
 */
export function olderAttachments(
  network: string,
  leaseDirectories: readonly string[],
  state: string = stateDirectory,
): readonly OlderAttachment[] {
  const networks = [join(state, "networks"), ...leaseDirectories];
  const leases = new Set(networks.flatMap((path) => leasesIn(join(path, network))));
  const records = new Set(namesIn(join(state, "wrappers")));
  const results = join(state, "results");
  return namesIn(results).flatMap((name) => {
    const found = parsed(read(join(results, name)) ?? "", network);
    if (!found) return [];
    const { containerId, runtimeIfName, interfaces } = found;
    const older = interfaces.filter((ifName) => {
      return ifName !== runtimeIfName && !records.has(recordName({ network, containerId, runtimeIfName, ifName }));
    });
    const leased = older.filter((ifName) => leases.has(`${containerId} ${ifName}`));
    return older.length > 0 ? [{ containerId, interfaces, leased }] : [];
  });
}

function recordName(key: Parameters<typeof recordFile>[0]): string {
  return recordFile(key).slice(recordDirectory.length + 1);
}

/** Reads a cached result of libcni (libcni/api.go, cachedInfo). */
function parsed(text: string, network: string) {
  const { networkName, containerId, ifName, result } = parseJsonObject(text) ?? {};
  if (networkName !== network || typeof containerId !== "string" || typeof ifName !== "string") return undefined;
  const listed = isJsonObject(result) && Array.isArray(result.interfaces) ? result.interfaces.filter(isJsonObject) : [];
  const interfaces = listed.flatMap(({ name, sandbox }) => {
    return sandbox && typeof name === "string" && name !== "lo" ? [name] : [];
  });
  return { containerId, runtimeIfName: ifName, interfaces };
}

/** The leases of host-local: each file is named for an address, and has the container and the interface on two lines. */
function leasesIn(directory: string): readonly string[] {
  return namesIn(directory).flatMap((name) => {
    const [containerId, ifName] = /^[\da-f.:]+$/.test(name) ? (read(join(directory, name)) ?? "").split(/\r?\n/) : [];
    return containerId && ifName ? [`${containerId.trim()} ${ifName.trim()}`] : [];
  });
}

function namesIn(directory: string): readonly string[] {
  return ifThere(directory, () => readdirSync(directory)) ?? [];
}

// A container may end at any time, and its files with it.
function read(path: string): string | undefined {
  return ifThere(path, () => readFileSync(path, "utf8"));
}

function ifThere<T>(path: string, operation: () => T): T | undefined {
  return withPath(path, () => {
    try {
      return operation();
    } catch (error) {
      if (["ENOENT", "EISDIR"].includes((error as NodeJS.ErrnoException).code ?? "")) return undefined;
      throw error;
    }
  });
}
