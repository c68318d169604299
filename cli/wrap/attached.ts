import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseLease } from "../../shared/journal/lease.ts";
import { memoryIn, stateDirectory } from "../host/memory.ts";
import { interfaceNames, isAttachment, parseCachedResult } from "../live/cached-results.ts";
import { withPath } from "../trouble.ts";

/** A running attachment that no wrapper made, or made only in part. */
export interface OlderAttachment {
  readonly containerId: string;
  /** Its container interfaces, in the order of the list. */
  readonly interfaces: readonly string[];
  /** The interfaces that no journal has, and a lease under the list's own name. */
  readonly leased: readonly string[];
}

/**
 * Reads which attachments of a network something other than the wrappers made: libcni's cache has their results, and at least
 * one interface that is not the runtime's is in no journal. `leaseDirectories` are host-local's, without the network's name.
 */
export function olderAttachments(
  network: string,
  leaseDirectories: readonly string[],
  state: string = stateDirectory,
): readonly OlderAttachment[] {
  const networks = [join(state, "networks"), ...leaseDirectories];
  const leases = new Set(networks.flatMap((path) => leasesIn(join(path, network))));
  const memory = memoryIn(state);
  const results = join(state, "results");
  return namesIn(results).flatMap((name) => {
    const found = parseCachedResult(name, read(join(results, name)) ?? "");
    if (!isAttachment(found) || found.network !== network) return [];
    const { containerId, ifName: runtimeIfName } = found;
    const interfaces = interfaceNames(found).filter((ifName) => ifName !== "lo");
    const made = memory.journal({ network, containerId, runtimeIfName }).entries.map((entry) => entry.ifName);
    const older = interfaces.filter((ifName) => ifName !== runtimeIfName && !made.includes(ifName));
    const leased = older.filter((ifName) => leases.has(`${containerId} ${ifName}`));
    return older.length > 0 ? [{ containerId, interfaces, leased }] : [];
  });
}

/** The owners of host-local's leases: container and interface. */
function leasesIn(directory: string): readonly string[] {
  return namesIn(directory).flatMap((name) => {
    const lease = /^[\da-f.:]+$/.test(name) ? parseLease(name, read(join(directory, name)) ?? "") : undefined;
    return lease?.containerId && lease.ifName ? [`${lease.containerId} ${lease.ifName}`] : [];
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
