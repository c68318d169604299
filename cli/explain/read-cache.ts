import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { isJsonObject, type JsonObject, parseJsonObject } from "../../shared/protocol/json.ts";
import type { CniResult } from "../../shared/protocol/result.ts";
import { Trouble, withPath } from "../trouble.ts";
import type { Attachment } from "./runtime.ts";

/** An attachment in libcni's cache (cachedInfo in libcni/api.go). */
export interface Cached {
  readonly attachment: Attachment;
  readonly result: CniResult;
}

/**
 * Reads a container's attachment to a network from libcni's cache. The id may be the beginning of the container's id. Throws
 * Trouble if there is none, or if there are several.
 */
export function readCache(cacheDirectory: string, network: string, container: string, directory: string): Cached {
  const results = join(resolve(directory, cacheDirectory), "results");
  const names = withPath(results, () => readdirSync(results)).filter((name) =>
    name.startsWith(`${network}-${container}`),
  );
  const cached = names.map((name) => readFile(join(results, name))).filter((one) => isOf(one, network, container));
  const exact = cached.filter(({ containerId }) => containerId === container);
  const [only, another] = exact.length > 0 ? exact : cached;
  if (only === undefined)
    throw new Trouble(`${results}: there is no attachment of ${container} to the network ${network}`);
  if (another !== undefined) throw new Trouble(`${results}: several attachments begin with ${network}-${container}`);
  return cachedOf(only);
}

function readFile(path: string): JsonObject {
  return parseJsonObject(withPath(path, () => readFileSync(path, "utf8"))) ?? {};
}

function isOf({ kind, networkName, containerId, result }: JsonObject, network: string, container: string): boolean {
  const isAttachment = kind === "cniCacheV1" && networkName === network && isJsonObject(result);
  return isAttachment && String(containerId).startsWith(container);
}

function cachedOf({ containerId, ifName, netns, cniArgs, capabilityArgs, result }: JsonObject): Cached {
  const known = result as CniResult;
  const pairs = (Array.isArray(cniArgs) ? cniArgs : []) as string[][];
  const sandbox = (known.interfaces ?? []).find((one) => one.sandbox)?.sandbox;
  return {
    attachment: {
      containerId: String(containerId),
      // libcni keeps the namespace since 1.2.
      netns: String(netns ?? sandbox ?? ""),
      ifName: String(ifName),
      args: pairs.map((pair) => pair.join("=")).join(";"),
      pluginPath: "/opt/cni/bin",
      capabilityArgs: isJsonObject(capabilityArgs) ? capabilityArgs : {},
    },
    result: known,
  };
}
