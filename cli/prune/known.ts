import { basename, dirname } from "node:path";
import { addressesIn } from "../../shared/delegate/taken-addresses.ts";
import type { AttachmentKey, Entry } from "../../shared/journal/journal.ts";
import { entriesIn, keyOf, type MemoryFile } from "../host/memory.ts";
import { type List, listFrom } from "../lists/list.ts";
import { type CachedAttachment, interfaceNames } from "../live/cached-results.ts";
import { chainName, leaseName, limiterName, masqueradeName, plainAddress } from "./thing.ts";

/** An attachment that a result or a file of the wrappers names. */
export interface Known extends AttachmentKey {
  readonly result: CachedAttachment | undefined;
  readonly remembered: readonly MemoryFile[];
  /** The list of the result, at the time of ADD. */
  readonly list: List | undefined;
}

/** Joins the results, the journals and the old records of each attachment. */
export function knownsIn(results: readonly CachedAttachment[], files: readonly MemoryFile[]): readonly Known[] {
  const byResult = Map.groupBy(results, keyOf);
  const byFile = Map.groupBy(files, keyOf);
  return [...new Set([...byResult.keys(), ...byFile.keys()])].flatMap((key) => {
    const remembered = byFile.get(key) ?? [];
    const [result] = byResult.get(key) ?? [];
    const named = result ?? remembered[0];
    if (!named) return [];
    const { network, containerId, runtimeIfName } = named;
    return {
      network,
      containerId,
      runtimeIfName,
      result,
      remembered,
      list: result?.list && listFrom(result.list, result.file),
    };
  });
}

/** The entries of an attachment that are not undone. */
function entriesOf({ remembered }: Known): readonly Entry[] {
  return entriesIn(remembered.flatMap(({ journal }) => journal ?? []));
}

/** The paths of an attachment's network namespace. There is one, unless a result and a journal disagree. */
export function namespacesOf(known: Known): readonly string[] {
  const named = [known.result?.netns, ...entriesOf(known).map(({ namespace }) => namespace.path)];
  return [...new Set(named.filter((path) => path !== undefined && path !== ""))] as string[];
}

/** The inodes of an attachment's network namespace, from its journal of this boot. */
export function inodesOf(known: Known, bootId: string | undefined): readonly number[] {
  return entriesOf(known).flatMap((entry) => (entry.bootId === bootId ? [entry.namespace.inode] : []));
}

/** The addresses of an attachment, as `plainAddress` spells them. */
export function addressesOfKnown(known: Known): readonly string[] {
  const inJournal = entriesOf(known).flatMap(({ done }) => done?.addresses ?? []);
  return [...new Set([...addressesIn(known.result?.result), ...inJournal].map(plainAddress))];
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
    // plugins/pkg/link/spoofcheck.go
    ...ifNames.map((ifName) => `macspoofchk:${containerId}-${ifName}`),
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
  const { runtimeIfName, result, list } = known;
  const reported = result ? interfaceNames(result) : [];
  const listed = (list?.plugins ?? []).filter(({ isRenamed }) => isRenamed).map((plugin) => plugin.ifName);
  return [...new Set([runtimeIfName, ...reported, ...listed, ...entriesOf(known).map((entry) => entry.ifName)])];
}

/** The name of the files about an attachment: its result, its journal and adopt's backup. */
export function fileName(named: AttachmentKey): string {
  return `files:${keyOf(named)}`;
}

/** Whether the path of a result, a journal or an old record has a container's id. */
export function isNamedIn(file: string, containerId: string): boolean {
  const name = basename(file);
  return (
    name.includes(`-${containerId}-`) || name.includes(`:${containerId}:`) || basename(dirname(file)) === containerId
  );
}

/** What an attachment's result has on the host's side. A bridge can be among it: only the host's links tell a veth. */
export function hostEndsOf({ result }: Known): readonly { readonly name: string; readonly mac: string }[] {
  const interfaces = result?.result?.interfaces ?? [];
  return interfaces.flatMap(({ name, mac, sandbox }) => {
    return sandbox || typeof mac !== "string" || mac === "" ? [] : { name, mac };
  });
}
