import { isJsonObject, type JsonObject, parseJsonObject } from "../protocol/json.ts";
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

/** Returns whose result one of libcni's files has; undefined if it does not say so. */
export function cachedKey({ networkName, containerId, ifName }: JsonObject): AttachmentKey | undefined {
  const isNamed = typeof networkName === "string" && typeof containerId === "string" && typeof ifName === "string";
  return isNamed ? { network: networkName, containerId, runtimeIfName: ifName } : undefined;
}

/** Parses one of libcni's files; undefined if it is none. */
export function parseCachedResult(file: string, text: string | undefined): CachedResult | undefined {
  const value = parseJsonObject(text ?? "") ?? {};
  const { result } = value;
  const key = cachedKey(value);
  if (key === undefined || !isJsonObject(result)) return undefined;
  const listed = Array.isArray(result.interfaces) ? result.interfaces.filter(isJsonObject) : [];
  const interfaces = listed.flatMap(({ name, sandbox }) =>
    typeof name === "string" && typeof sandbox === "string" && sandbox !== "" ? [{ name, sandbox }] : [],
  );
  return { file, key, result: result as CniResult, interfaces };
}
