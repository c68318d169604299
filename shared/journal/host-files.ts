import { goLookup, isJsonObject, type JsonObject, objectsOf, parseJsonObject } from "../protocol/json.ts";
import type { CniResult } from "../protocol/result.ts";
import { type AttachmentKey, keyOf } from "./journal.ts";

/** An address that host-local gave to an interface of a container. */
export interface Lease {
  readonly address: string;
  readonly containerId: string;
  readonly ifName: string;
}

/** host-local's default `dataDir`: a directory for each network, in which each lease has a file. */
export const leaseDirectory = "/var/lib/cni/networks";

/** Returns the directory in which host-local keeps the leases of a network. `ipam` is the plugin's block. */
export function leaseDirectoryOf(ipam: JsonObject, network: string): string {
  const directory = goLookup(ipam, "dataDir");
  return `${typeof directory === "string" && directory !== "" ? directory : leaseDirectory}/${network}`;
}

/**
 * Parses the file of an address (plugins/ipam/host-local/backend/disk); undefined if the name of the file is none. Old versions
 * of host-local wrote no interface.
 */
export function parseLease(address: string, text: string): Lease | undefined {
  if (!/^[\da-f]*[.:][\da-f.:]+$/i.test(address)) return undefined;
  const [containerId = "", ifName = ""] = text.split("\n");
  return { address, containerId: containerId.trim(), ifName: ifName.trim() };
}

/** The result of a completed ADD that libcni keeps (cniCacheV1). */
export interface CachedResult {
  readonly file: string;
  readonly key: AttachmentKey;
  readonly result: CniResult;
  /** The container interfaces in it. */
  readonly interfaces: readonly { readonly name: string; readonly sandbox: string }[];
}

/** The directory of libcni's cached results. */
export const resultDirectory = "/var/lib/cni/results";

/** Returns the file in which libcni keeps the result of an attachment (libcni/api.go, getCacheFilePath). */
export function cachedResultFile({ network, containerId, runtimeIfName }: AttachmentKey): string {
  return `${resultDirectory}/${network}-${containerId}-${runtimeIfName}`;
}

/** Returns whose result one of libcni's files has; undefined if it does not say so. */
export function cachedKey({ networkName, containerId, ifName }: JsonObject): AttachmentKey | undefined {
  return keyOf(networkName, containerId, ifName);
}

/** Parses one of libcni's files; undefined if it is none. */
export function parseCachedResult(file: string, text: string | undefined): CachedResult | undefined {
  const value = parseJsonObject(text ?? "") ?? {};
  const { result } = value;
  const key = cachedKey(value);
  if (key === undefined || !isJsonObject(result)) return undefined;
  const interfaces = objectsOf(result.interfaces).flatMap(({ name, sandbox }) =>
    typeof name === "string" && typeof sandbox === "string" && sandbox !== "" ? [{ name, sandbox }] : [],
  );
  return { file, key, result: result as CniResult, interfaces };
}

/** Returns the namespaces among the mounts of a process with their paths (proc(5), mountinfo). */
export function namespaceMounts(mountinfo: string): readonly (readonly [string, string])[] {
  return mountinfo.split("\n").flatMap((line) => {
    const found = /^\S+ \S+ \S+ (net:\[\d+\]) (\S+) .* - nsfs /.exec(line);
    if (found === null) return [];
    const [, id, path] = found as unknown as readonly [string, string, string];
    return [[id, path.replace(/\\(\d{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)))]];
  });
}
