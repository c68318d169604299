import { goLookup, isJsonObject, type JsonObject } from "../protocol/json.ts";

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

/** Returns the `ipam` of a plugin's configuration, as a plugin in Go reads it; empty if it is no object. */
export function ipamOf(configuration: JsonObject): JsonObject {
  const ipam = goLookup(configuration, "ipam");
  return isJsonObject(ipam) ? ipam : {};
}
