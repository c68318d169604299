import { basename, dirname } from "node:path";
import type { Entry } from "../../shared/journal/journal.ts";
import { isJsonObject } from "../../shared/protocol/json.ts";
import { entriesIn, type MemoryFile } from "../host/memory.ts";
import { type List, listOf } from "../lists/list.ts";
import { parseListFile } from "../lists/list-file.ts";
import { addressesIn, type CachedAttachment, interfaceNames } from "../live/cached-results.ts";
import { chainName, limiterName, masqueradeName, plainAddress, spoofCheckName } from "./names.ts";
import { leaseName } from "./thing.ts";

/** A journal or a record of 0.2.0, and its text. */
export interface RememberedFile extends MemoryFile {
  readonly text: string;
}

/** A result in libcni's cache, and the text of its file. */
export interface ResultFile {
  readonly text: string;
  readonly attachment: CachedAttachment;
}

/** An attachment that a result or a file of the wrappers names. */
export interface Known {
  readonly network: string;
  readonly containerId: string;
  /** The runtime's interface name. */
  readonly ifName: string;
  readonly result: ResultFile | undefined;
  readonly remembered: readonly RememberedFile[];
  /** The list of the result, at the time of ADD. */
  readonly list: List | undefined;
}

/** Joins the results, the journals and the old records of each attachment. */
export function knownsIn(results: readonly ResultFile[], files: readonly RememberedFile[]): readonly Known[] {
  const byResult = Map.groupBy(results, ({ attachment }) => keyOf(attachment));
  const byFile = Map.groupBy(files, (one) => keyOf(attachmentOf(one)));
  return [...new Set([...byResult.keys(), ...byFile.keys()])].flatMap((key) => {
    const remembered = byFile.get(key) ?? [];
    const [result] = byResult.get(key) ?? [];
    const named = result?.attachment ?? remembered.map(attachmentOf)[0];
    if (!named) return [];
    const { network, containerId, ifName } = named;
    return { network, containerId, ifName, result, remembered, list: result && listAtAdd(result.attachment) };
  });
}

/** The attachment of a file. */
export function attachmentOf({
  network,
  containerId,
  runtimeIfName,
}: MemoryFile): Pick<Known, "network" | "containerId" | "ifName"> {
  return { network, containerId, ifName: runtimeIfName };
}

/** The entries of an attachment that are not undone. */
export function entriesOf({ remembered }: Known): readonly Entry[] {
  return entriesIn(remembered.flatMap(({ journal }) => journal ?? []));
}

/** The paths of an attachment's network namespace. There is one, unless a result and a journal disagree. */
export function namespacesOf(known: Known): readonly string[] {
  const named = [known.result?.attachment.netns, ...entriesOf(known).map(({ namespace }) => namespace.path)];
  return [...new Set(named.filter((path) => path !== undefined && path !== ""))] as string[];
}

/** The addresses of an attachment, as `plainAddress` spells them. */
export function addressesOfKnown(known: Known): readonly string[] {
  const inResult = known.result ? addressesIn(known.result.attachment) : [];
  const inJournal = entriesOf(known).flatMap(({ done }) => done?.addresses ?? []);
  return [...new Set([...inResult, ...inJournal].map(plainAddress))];
}

/** The networks under which the plugins of an attachment keep what they make: the list's own, and those of renamed interfaces. */
export function networksOf(known: Known): readonly string[] {
  const listed = (known.list?.plugins ?? []).map((plugin) => plugin.network);
  return [...new Set([known.network, ...listed, ...entriesOf(known).map(({ delegateNetwork }) => delegateNetwork)])];
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

function ifNamesOf(known: Known): readonly string[] {
  const { ifName, result, list } = known;
  const reported = result ? interfaceNames(result.attachment) : [];
  const listed = (list?.plugins ?? []).filter(({ isRenamed }) => isRenamed).map((plugin) => plugin.ifName);
  return [...new Set([ifName, ...reported, ...listed, ...entriesOf(known).map((entry) => entry.ifName)])];
}

function listAtAdd({ file, list }: CachedAttachment): List | undefined {
  return list && listOf(parseListFile(file, JSON.stringify(list)));
}

/** The name of the files about an attachment: its result, its journal and adopt's backup. */
export function fileName(named: Pick<Known, "network" | "containerId" | "ifName">): string {
  return `files:${keyOf(named)}`;
}

/** Whether the path of a result, a journal or an old record has a container's id. */
export function isNamedIn(file: string, containerId: string): boolean {
  const name = basename(file);
  return (
    name.includes(`-${containerId}-`) || name.includes(`:${containerId}:`) || basename(dirname(file)) === containerId
  );
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
