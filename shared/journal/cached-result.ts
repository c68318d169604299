import { isJsonObject, parseJsonObject } from "../protocol/json.ts";
import type { CniResult } from "../protocol/result.ts";
import type { AttachmentKey } from "./journal.ts";

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

/** Parses one of libcni's files; undefined if it is none. */
export function parseCachedResult(file: string, text: string | undefined): CachedResult | undefined {
  const { networkName, containerId, ifName, result } = parseJsonObject(text ?? "") ?? {};
  if (typeof networkName !== "string" || typeof containerId !== "string" || typeof ifName !== "string")
    return undefined;
  if (!isJsonObject(result)) return undefined;
  const key = { network: networkName, containerId, runtimeIfName: ifName };
  const listed = Array.isArray(result.interfaces) ? result.interfaces.filter(isJsonObject) : [];
  const interfaces = listed.flatMap(({ name, sandbox }) =>
    typeof name === "string" && typeof sandbox === "string" && sandbox !== "" ? [{ name, sandbox }] : [],
  );
  return { file, key, result: result as CniResult, interfaces };
}
