import { statSync } from "node:fs";
import { basename, join } from "node:path";
import { stateDirectory } from "../host/memory.ts";
import { oneLine, Trouble, withPath } from "../terminal.ts";
import { type CachedAttachment, isAttachment, readCachedResults, type UnreadableResult } from "./cached-results.ts";
import type { HostPaths } from "./host-paths.ts";

/** Where the results are, and what the options `--network` and `--container` name. */
type Asked = Omit<HostPaths, "configDirectories" | "cniPath">;

/** All attachments of a host, and those that a command is about. */
export type Attachments = ReturnType<typeof readAttachments>;

/** Reads the attachments of a host. `leaveOut` gets a line about each wanted result that cannot be read. */
export function readAttachments(paths: Asked, leaveOut: (line: string) => void, usual = stateDirectory) {
  const { cacheDirectory, network } = paths;
  demandCache(cacheDirectory, usual);
  const entries = readCachedResults(cacheDirectory);
  // guard: a result that cannot be read is not called good
  for (const entry of entries) if (!isAttachment(entry) && isOf(network, entry)) leaveOut(lineFor(entry));
  // Every runtime that uses go-cni attaches `lo` in a network of its own, which no file defines.
  const all = entries.filter(isAttachment).filter((one) => one.network !== "cni-loopback");
  return { wanted: all.filter((attachment) => isWanted(paths, attachment)), all };
}

/** Throws Trouble if a directory was named in which libcni has no cache. The usual one may be missing. */
export function demandCache(cacheDirectory: string, usual = stateDirectory): void {
  const results = join(cacheDirectory, "results");
  // guard: a directory that somebody named and that is missing is not called empty
  if (cacheDirectory !== usual) withPath(results, () => statSync(results));
}

/** Whether the options `--network` and `--container` select an attachment, or something that was a part of one. */
export function isWanted(
  { network, containerId = "" }: Asked,
  one: { readonly network: string | undefined; readonly containerId: string | undefined },
): boolean {
  const isOfNetwork = network === undefined || one.network === network;
  return isOfNetwork && (one.containerId ?? "").startsWith(containerId);
}

/**
 * Throws Trouble if an option names what neither a list nor an attachment has: a typo must not look like a good host. `names` are
 * the networks of the lists.
 */
export function demandKnown(
  { network, containerId }: Asked,
  attachments: readonly CachedAttachment[],
  names: Iterable<string>,
): void {
  demandNetwork(network, [...names, ...attachments.map((one) => one.network)]);
  // guard: a misspelled container is not called good
  if (containerId !== undefined && !attachments.some((one) => one.containerId.startsWith(containerId)))
    throw new Trouble(`--container ${oneLine(containerId)}: no attachment has a container whose id begins with it`);
}

/** The same for the option `--network` alone, with the names of everything that has one. */
export function demandNetwork(network: string | undefined, names: readonly string[]): void {
  // guard: a misspelled network is not called good
  if (network === undefined || names.includes(network)) return;
  throw new Trouble(`--network ${oneLine(network)}: no list and no attachment has this name; ${namesIn(names)}`);
}

/** Says which names there are. */
export function namesIn(networks: Iterable<string>): string {
  const names = [...new Set(networks)].sort().map(oneLine);
  return names.length === 0 ? "there are none" : `there are: ${names.join(", ")}`;
}

// libcni names the file after the network, the container and the interface.
function isOf(network: string | undefined, { file }: UnreadableResult): boolean {
  return network === undefined || basename(file).startsWith(`${network}-`);
}

function lineFor({ file, reason }: UnreadableResult): string {
  return `${oneLine(file)}: ${oneLine(reason)}; this attachment is left out`;
}
