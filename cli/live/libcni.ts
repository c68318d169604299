import { inOrder, isJsonObject, type JsonObject } from "../../shared/protocol/json.ts";
import type { ConfiguredVerb } from "../../shared/protocol/request.ts";
import { type CniResult, delGetsResult, isChainVersion, isUnchainedVersion } from "../../shared/protocol/result.ts";
import { isDisabled, type List, type ListedPlugin } from "../lists/list.ts";

/** The verbs that a runtime sends for a list. */
export const verbs: readonly ConfiguredVerb[] = ["ADD", "CHECK", "DEL", "GC", "STATUS"];

/** The variables and the stdin of one call. */
export interface Call {
  readonly environment: Readonly<Record<string, string>>;
  readonly stdin: JsonObject;
}

/** What the runtime says of an attachment ("attachment parameters" in the specification). */
export interface AttachmentParameters {
  readonly containerId: string;
  readonly netns: string;
  readonly ifName: string;
  /** CNI_ARGS. */
  readonly args: string;
  readonly pluginPath: string;
  /** The runtime's values for the capabilities of the plugins, such as `portMappings`. */
  readonly capabilityArgs: JsonObject;
}

/** Returns the plugins' indexes in the order in which libcni calls them. */
export function callOrder({ plugins }: List, verb: ConfiguredVerb): number[] {
  const indexes = plugins.map(({ index }) => index);
  return verb === "DEL" ? indexes.reverse() : indexes;
}

/** What libcni needs of a plugin's answer. */
interface Ended {
  readonly isPassed: boolean;
  readonly output?: unknown;
}

/**
 * Makes the calls of a verb one after the other, each with the answer to the one before, and ends at the first that fails.
 * Returns the result of the list: of ADD, or the one that it was given.
 */
export function* callsOf(
  list: List,
  verb: ConfiguredVerb,
  attachment: AttachmentParameters,
  result?: CniResult,
): Generator<readonly [ListedPlugin, Call], CniResult | undefined, Ended> {
  let given = result;
  for (const index of callOrder(list, verb)) {
    const plugin = list.plugins[index] as ListedPlugin;
    const { isPassed, output } = yield [plugin, callOf(list, index, verb, attachment, given)];
    if (!isPassed) return undefined;
    if (verb === "ADD") given = output as CniResult | undefined;
  }
  return given;
}

/** Says why a runtime does not send this verb for the list; undefined if it does (libcni/api.go). */
export function notSent({ value, cniVersion }: List, verb: ConfiguredVerb): string | undefined {
  if (verb === "CHECK" && isDisabled(value.disableCheck)) return 'the list says "disableCheck": true';
  const version = `the list's cniVersion is ${cniVersion ?? "0.1.0"}`;
  const isOld = isUnchainedVersion(cniVersion) || cniVersion?.startsWith("0.3");
  if (verb === "CHECK" && isOld) return `${version}, and CHECK came with 0.4.0`;
  const isNew = isChainVersion(cniVersion) && !isOld && cniVersion !== "0.4.0" && cniVersion !== "1.0.0";
  if ((verb === "GC" || verb === "STATUS") && !isNew) return `${version}, and ${verb} came with 1.1.0`;
  return undefined;
}

/** Returns the call that libcni makes for one plugin of a list (buildOneConfig in libcni/api.go). */
export function callOf(
  list: List,
  index: number,
  verb: ConfiguredVerb,
  attachment: AttachmentParameters,
  prevResult: CniResult | undefined,
): Call {
  const { configuration = {} } = list.plugins[index] ?? {};
  const isShown =
    prevResult && (verb === "ADD" || verb === "CHECK" || (verb === "DEL" && delGetsResult(list.cniVersion)));
  const capable = isOfContainer(verb) ? capabilityArgs(configuration, attachment.capabilityArgs) : {};
  const stdin = {
    ...configuration,
    name: list.name ?? "",
    ...(list.cniVersion !== undefined && { cniVersion: list.cniVersion }),
    ...(isShown && { prevResult }),
    ...(Object.keys(capable).length > 0 && { runtimeConfig: capable }),
    ...(verb === "GC" && validAttachments(attachment)),
  };
  return { environment: environmentOf(verb, attachment), stdin: withSortedKeys(stdin) };
}

function isOfContainer(verb: ConfiguredVerb): boolean {
  return verb !== "GC" && verb !== "STATUS";
}

function environmentOf(verb: ConfiguredVerb, { containerId, netns, ifName, args, pluginPath }: AttachmentParameters) {
  const isOne = isOfContainer(verb);
  return {
    CNI_COMMAND: verb,
    CNI_CONTAINERID: isOne ? containerId : "",
    CNI_NETNS: isOne ? netns : "",
    CNI_IFNAME: isOne ? ifName : "",
    CNI_ARGS: isOne ? args : "",
    CNI_PATH: pluginPath,
  };
}

function capabilityArgs({ capabilities }: JsonObject, given: JsonObject): JsonObject {
  if (!isJsonObject(capabilities)) return {};
  return Object.fromEntries(Object.entries(given).filter(([name]) => capabilities[name] === true));
}

// libcni sends both keys (containernetworking/cni#1101).
function validAttachments({ containerId, ifName }: AttachmentParameters): JsonObject {
  const valid = [{ containerID: containerId, ifname: ifName }];
  return { "cni.dev/attachments": valid, "cni.dev/valid-attachments": valid };
}

/**
 * Converts a result of 0.3.0 or later to another of these versions (cni/pkg/types/100, convertFrom04x and convertTo04x). Only
 * `ips[].version` differs: before 1.0.0 each address has it.
 */
export function inVersion(result: CniResult, version: string): CniResult {
  const ips = result.ips?.map(({ version: _, ...ip }) => ({ ...familyIn(version, ip.address), ...ip }));
  return { ...result, cniVersion: version, ...(ips && { ips }) };
}

/** Returns the key with the family that an address has in a result of this version. 1.0.0 removed the key. */
export function familyIn(cniVersion: string | undefined, address: string): { readonly version?: "4" | "6" } {
  return cniVersion?.startsWith("0.") ? { version: address.includes(":") ? "6" : "4" } : {};
}

/** Returns a value with its keys in the order in which Go writes them. The wrappers recognize a configuration by its text. */
export function withSortedKeys<T>(value: T): T {
  if (Array.isArray(value)) return value.map(withSortedKeys) as T;
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(inOrder(value));
  return Object.fromEntries(
    entries.map(([key, inner]) => [key, key === "prevResult" ? inner : withSortedKeys(inner)]),
  ) as T;
}
