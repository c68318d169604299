import { lstatSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { containerInterfaceNames } from "../../shared/attachment/attachments.ts";
import { attempt } from "../../shared/host/node/files.ts";
import { cachedKey, cachedResultFile } from "../../shared/journal/host-files.ts";
import type { AttachmentKey } from "../../shared/journal/journal.ts";
import { isJsonObject, type JsonObject, objectOf, parseJsonObject } from "../../shared/protocol/json.ts";
import { type CniResult, isContainerInterface, supportedVersions } from "../../shared/protocol/result.ts";
import { problemIn, resultShape } from "../../shared/protocol/shapes.ts";
import { filesIn, longestReport, readInput } from "../files/read-input.ts";
import { stateDirectory } from "../host/memory.ts";
import { oneLine, Trouble, withPath } from "../terminal.ts";
import type { HostPaths } from "./host-paths.ts";
import type { AttachmentParameters } from "./libcni.ts";

/** One attachment that a runtime made and has not removed, from libcni's cache (libcni/api.go, cachedInfo). */
export interface CachedAttachment extends AttachmentKey {
  /** The path of the cache file. */
  readonly file: string;
  readonly text: string;
  /** The path of the network namespace. Empty if neither the cache nor the result names one. */
  readonly netns: string;
  /** The list at the time of ADD; undefined if it cannot be read. */
  readonly list: JsonObject | undefined;
  /** Keys and values of CNI_ARGS. */
  readonly args: readonly (readonly [string, string])[];
  /** The runtime's capability arguments, such as `portMappings`. */
  readonly capabilityArgs: JsonObject;
  readonly result: CniResult | undefined;
}

/** A file in the cache that is not an attachment. */
export interface UnreadableResult {
  readonly file: string;
  readonly reason: string;
}

/** Reads every result in libcni's cache, sorted by file name; none if there is no cache. Throws Trouble if it cannot be read. */
export function readCachedResults(cacheDirectory: string): readonly (CachedAttachment | UnreadableResult)[] {
  const directory = join(cacheDirectory, "results");
  return filesIn(directory).flatMap((name) => readCachedResult(join(directory, name)) ?? []);
}

/** Returns the paths of the namespaces that the results in a cache name. */
export function namespacesInCache(cacheDirectory: string): readonly string[] {
  const results = readCachedResults(cacheDirectory).filter(isAttachment);
  return [...new Set(results.map(({ netns }) => netns))].filter((path) => path.startsWith("/"));
}

/** Returns the attachment as a runtime passes it to the plugins again. `pluginPath` is CNI_PATH. */
export function attachmentOf(cached: CachedAttachment, pluginPath: string): AttachmentParameters {
  const { containerId, netns, runtimeIfName: ifName, capabilityArgs, args } = cached;
  return { containerId, netns, ifName, capabilityArgs, args: args.map((pair) => pair.join("=")).join(";"), pluginPath };
}

/** Reads one file of the cache; undefined if it is gone: a container may end at any time. */
export function readCachedResult(file: string): CachedAttachment | UnreadableResult | undefined {
  try {
    const found = parseCachedResult(file, readInput(file, file, longestReport).toString());
    // guard: a copy that libcni does not read
    if (!isAttachment(found) || basename(file) === fileNameOf(found)) return found;
    return { file, reason: `libcni does not read it: it looks for ${fileNameOf(found)}` };
  } catch (error) {
    if (!(error instanceof Trouble)) throw error;
    const isThere = attempt(() => lstatSync(file)) !== undefined;
    return isThere ? { file, reason: error.message.replace(`${oneLine(file)}: `, "") } : undefined;
  }
}

/** The name of the file in which libcni keeps the result of an attachment. */
export function fileNameOf(key: AttachmentKey): string {
  return basename(cachedResultFile(key));
}

/** Parses the text of a cache file. */
export function parseCachedResult(file: string, text: string): CachedAttachment | UnreadableResult {
  const value = parseJsonObject(text);
  if (value === undefined) return { file, reason: "it is not a JSON object" };
  const { kind, config, cniArgs, capabilityArgs, netns } = value;
  if (kind !== "cniCacheV1") return { file, reason: 'its kind is not "cniCacheV1"' };
  const key = cachedKey(value);
  if (key === undefined) return { file, reason: "it names no network, container or interface" };
  if (isJsonObject(value.result) && problemIn(resultShape, value.result, "") !== undefined)
    return { file, reason: "its result is not that of an ADD" };
  const misread = misreadIn(value);
  // guard: a file is not called good whose result libcni does not find
  if (misread !== undefined) return { file, reason: misread };
  const result = isJsonObject(value.result) ? (value.result as CniResult) : undefined;
  return {
    file,
    text,
    ...key,
    netns: typeof netns === "string" && netns !== "" ? netns : sandboxOf(result, key.runtimeIfName),
    list: typeof config === "string" ? parseJsonObject(Buffer.from(config, "base64").toString()) : undefined,
    args: Array.isArray(cniArgs) ? cniArgs.filter(isPair) : [],
    capabilityArgs: objectOf(capabilityArgs),
    result,
  };
}

/**
 * Says what keeps libcni from the result in a cache file; undefined if nothing does. If it cannot read one key (cachedInfo), it reads
 * the file as a result of 0.1.0, which has no interfaces (getLegacyCachedResult).
 */
function misreadIn(value: JsonObject): string | undefined {
  const odd = Object.entries(readable).find(([key, isReadable]) => !isLeft(value[key]) && !isReadable(value[key]));
  if (odd) return `libcni cannot read its ${odd[0]}`;
  const { cniVersion: version } = (value.result ?? {}) as CniResult;
  if (!version || supportedVersions.includes(version)) return undefined;
  return `libcni does not know the cniVersion of its result, ${version}`;
}

/** What Go's decoder takes for the keys that are not names. It leaves null out. */
const readable: Readonly<Record<string, (value: unknown) => boolean>> = {
  config: (value) => typeof value === "string" && isBase64(value.replace(/[\r\n]/g, "")),
  netns: (value) => typeof value === "string",
  cniArgs: (value) => Array.isArray(value) && value.every(isPairForGo),
  capabilityArgs: isJsonObject,
  result: isJsonObject,
};

function isLeft(value: unknown): boolean {
  return value === undefined || value === null;
}

// Buffer.from leaves out what is none.
function isBase64(text: string): boolean {
  return Buffer.from(text, "base64").toString("base64") === text;
}

// An array of another length is none of the faults of Go's decoder.
function isPairForGo(value: unknown): boolean {
  return Array.isArray(value) && value.slice(0, 2).every((part) => isLeft(part) || typeof part === "string");
}

/** Returns the names of an attachment's container interfaces. */
export function interfaceNames({ result }: Pick<CachedAttachment, "result">): readonly string[] {
  return containerInterfaceNames(result ?? {});
}

/** Returns the addresses of one of its container interfaces. */
export function addressesAt({ result }: Pick<CachedAttachment, "result">, ifName: string): readonly string[] {
  const own = (result?.interfaces ?? []).findIndex((one) => isContainerInterface(one) && one.name === ifName);
  return (result?.ips ?? []).filter((ip) => ip.interface === own).map(({ address }) => address);
}

/** Whether an entry of the cache is an attachment. */
export function isAttachment(entry: CachedAttachment | UnreadableResult): entry is CachedAttachment {
  return !("reason" in entry);
}

function sandboxOf(result: CniResult | undefined, ifName: string): string {
  const inside = (result?.interfaces ?? []).filter(isContainerInterface);
  const own = inside.find(({ name }) => name === ifName) ?? inside[0];
  return own?.sandbox ?? "";
}

function isPair(value: unknown): value is [string, string] {
  return Array.isArray(value) && value.length === 2 && value.every((part) => typeof part === "string");
}

/** Where the results are, and what the options `--network` and `--container` name. */
type Asked = Omit<HostPaths, "configDirectories" | "cniPath">;

/** All attachments of a host, and those that a command is about. */
export type Attachments = ReturnType<typeof readAttachments>;

/** Reads the attachments of a host. `leaveOut` gets a line about each wanted result that cannot be read. */
export function readAttachments(paths: Asked, leaveOut: (line: string) => void, usual = stateDirectory) {
  const { cacheDirectory, network } = paths;
  demandCache(cacheDirectory, usual);
  const entries = readCachedResults(cacheDirectory);
  // libcni names the file after the network, the container and the interface.
  const isOf = (file: string) => network === undefined || basename(file).startsWith(`${network}-`);
  for (const entry of entries) {
    // guard: a result that cannot be read is not called good
    if (isAttachment(entry) || !isOf(entry.file)) continue;
    leaveOut(`${oneLine(entry.file)}: ${oneLine(entry.reason)}; this attachment is left out`);
  }
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
