import { basename } from "node:path";
import { isJsonObject } from "../../shared/protocol/json.ts";
import { parseRecord } from "../../shared/record/parse-record.ts";
import type { AttachmentRecord } from "../../shared/record/record.ts";
import { type List, listOf } from "../lists/list.ts";
import { parseListFile } from "../lists/list-file.ts";
import { addressesIn, type CachedAttachment, interfaceNames } from "../live/cached-results.ts";
import { chainName, limiterName, masqueradeName, plainAddress, spoofCheckName } from "./names.ts";
import { leaseName } from "./thing.ts";

/** A file in the directory of the wrappers' records. */
export interface RecordFile {
  readonly file: string;
  readonly text: string;
  readonly network: string;
  readonly containerId: string;
  /** The runtime's interface name. */
  readonly ifName: string;
  /** Undefined for the record of moved routes, and for one that cannot be read. */
  readonly record: AttachmentRecord | undefined;
}

/** A result in libcni's cache, and the text of its file. */
export interface ResultFile {
  readonly text: string;
  readonly attachment: CachedAttachment;
}

/** An attachment that a result or records name. */
export interface Known {
  readonly network: string;
  readonly containerId: string;
  /** The runtime's interface name. */
  readonly ifName: string;
  readonly result: ResultFile | undefined;
  readonly records: readonly RecordFile[];
  /** The list of the result, at the time of ADD. */
  readonly list: List | undefined;
}

/** Reads the names in the path of a record, and the record in it; undefined if it is no record. */
export function recordFileOf(file: string, text: string): RecordFile | undefined {
  // The name of an unfinished record begins with a dot.
  const [network, containerId, ifName, ...rest] = basename(file).replace(/^\./, "").split(":");
  if (!network || !containerId || !ifName || rest.length === 0) return undefined;
  return { file, text, network, containerId, ifName, record: parseRecord(file, text) };
}

/** Joins the results and the records of each attachment. */
export function knownsIn(results: readonly ResultFile[], records: readonly RecordFile[]): readonly Known[] {
  const byResult = Map.groupBy(results, ({ attachment }) => keyOf(attachment));
  const byRecord = Map.groupBy(records, keyOf);
  return [...new Set([...byResult.keys(), ...byRecord.keys()])].flatMap((key) => {
    const own = byRecord.get(key) ?? [];
    const [result] = byResult.get(key) ?? [];
    const named = result?.attachment ?? own[0];
    if (!named) return [];
    const { network, containerId, ifName } = named;
    return { network, containerId, ifName, result, records: own, list: result && listAtAdd(result.attachment) };
  });
}

/** The paths of an attachment's network namespace. There is one, unless a result and a record disagree. */
export function namespacesOf({ result, records }: Known): readonly string[] {
  const named = [result?.attachment.netns, ...records.map(({ record }) => record?.netns)];
  return [...new Set(named.filter((path) => path !== undefined && path !== ""))] as string[];
}

/** The addresses of an attachment, as `plainAddress` spells them. */
export function addressesOfKnown({ result, records }: Known): readonly string[] {
  const inResult = result ? addressesIn(result.attachment) : [];
  return [...new Set([...inResult, ...records.flatMap(({ record }) => record?.addresses ?? [])].map(plainAddress))];
}

/** The networks under which the plugins of an attachment keep what they make: the list's own, and those of renamed interfaces. */
export function networksOf({ network, records, list }: Known): readonly string[] {
  const listed = (list?.plugins ?? []).map((plugin) => plugin.network);
  return [...new Set([network, ...listed, ...records.flatMap(({ record }) => record?.delegateNetwork ?? [])])];
}

/** The names of everything that the reference plugins can have made for an attachment. `Thing.name` is one of them. */
export function namesOf(known: Known): readonly string[] {
  const { containerId } = known;
  const networks = networksOf(known);
  const ifNames = ifNamesOf(known);
  return [
    fileName(known),
    `hostport:${containerId}`,
    ...addressesOfKnown(known).map((address) => `address:${address}`),
    ...ifNames.map((ifName) => `macspoofchk:${spoofCheckName(containerId, ifName)}`),
    ...networks.flatMap((network) => [
      ...(["", "DN-", "SN-"] as const).map((kind) => chainName(kind, network, containerId)),
      limiterName(network, containerId),
      leaseName(network, containerId),
      ...ifNames.map((ifName) => leaseName(network, containerId, ifName)),
      ...ifNames.map((ifName) => masqueradeName(network, ifName, containerId)),
    ]),
  ];
}

function ifNamesOf({ ifName, result, records, list }: Known): readonly string[] {
  const reported = result ? interfaceNames(result.attachment) : [];
  const listed = (list?.plugins ?? []).filter(({ isRenamed }) => isRenamed).map((plugin) => plugin.ifName);
  return [...new Set([ifName, ...reported, ...listed, ...records.flatMap(({ record }) => record?.ifName ?? [])])];
}

function listAtAdd({ file, list }: CachedAttachment): List | undefined {
  return list && listOf(parseListFile(file, JSON.stringify(list)));
}

/** The name of the files about an attachment: its result, its records and adopt's backup. */
export function fileName(named: Pick<Known, "network" | "containerId" | "ifName">): string {
  return `files:${keyOf(named)}`;
}

/** Whether the name of a result or a record has a container's id. */
export function isNamedIn(file: string, containerId: string): boolean {
  const name = basename(file);
  return name.includes(`-${containerId}-`) || name.includes(`:${containerId}:`);
}

function keyOf({ network, containerId, ifName }: Pick<Known, "network" | "containerId" | "ifName">): string {
  return [network, containerId, ifName].join(":");
}

/** The host's ends of an attachment's interfaces. A bridge is not one: others use it, too. */
export function hostEndsOf({ result }: Known): readonly { readonly name: string; readonly mac: string }[] {
  const interfaces = result?.attachment.result?.interfaces ?? [];
  return interfaces.filter(isJsonObject).flatMap(({ name, mac, sandbox }) => {
    return sandbox || typeof mac !== "string" || mac === "" ? [] : { name, mac };
  });
}
