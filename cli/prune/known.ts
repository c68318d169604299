import { createHash } from "node:crypto";
import { basename, dirname } from "node:path";
import { addressIn, parseIp } from "../../shared/attachment/subnet.ts";
import { addressesIn } from "../../shared/delegate/taken-addresses.ts";
import type { AttachmentKey, Entry } from "../../shared/journal/journal.ts";
import { entriesIn, keyOf, type MemoryFile } from "../host/memory.ts";
import { type List, listFrom } from "../lists/list.ts";
import { type CachedAttachment, interfaceNames } from "../live/cached-results.ts";

/** What can be left of an attachment. */
export type Kind = (typeof kinds)[number];

/** The kinds in the order of their removal. The result comes last: a killed run then knows the rest from it. */
export const kinds = ["rule", "link", "lease", "backup", "journal", "result"] as const;

/** Something on the host that belongs to an attachment. */
export interface Thing {
  readonly kind: Kind;
  /** For people: a path, or a chain. */
  readonly where: string;
  /** The name by which its attachments are found. See `namesOf`. */
  readonly name: string;
  /** The delegate's network, if the thing itself tells it. */
  readonly network?: string | undefined;
  /** The container, if the thing itself tells it. */
  readonly containerId?: string | undefined;
  /** The container's addresses in it, as `plainAddress` spells them. */
  readonly addresses: readonly string[];
  /** Why it must stay if no attachment has it. */
  readonly doubt?: string | undefined;
  readonly removal: Removal;
}

/** How to remove a thing, and how to see that it is still the same. */
export type Removal =
  | { readonly by: "unlink"; readonly file: string; readonly text: string; readonly lock?: string }
  | { readonly by: "iptables"; readonly restore: string; readonly table: string; readonly lines: readonly string[] }
  | { readonly by: "nft"; readonly read: readonly string[]; readonly name: string }
  | { readonly by: "ip"; readonly link: string };

/** The name of a lease: host-local finds it by these three. A lease of an old host-local has no interface. */
export function leaseName(network: string, containerId: string, ifName = ""): string {
  return `lease:${network}:${containerId}:${ifName}`;
}

// The names that the reference plugins make from a network and a container (plugins/pkg/utils/utils.go).

/** Returns the name of an attachment's iptables chain: masquerading has no kind, portmap has `DN-`, and had `SN-` once. */
export function chainName(kind: "" | "DN-" | "SN-", network: string, containerId: string): string {
  return hashed(28, `CNI-${kind}`, network + containerId);
}

/** Returns the name of the link with which bandwidth limits what a container sends. */
export function limiterName(network: string, containerId: string): string {
  return hashed(15, "bwp", network + containerId);
}

/** Returns the beginning of the comment on a masquerading rule in nftables (plugins/pkg/ip/ipmasq_nftables_linux.go). */
export function masqueradeName(network: string, ifName: string, containerId: string): string {
  return `${hashed(16, "", network)}-${hashed(16, "", `${ifName}:${containerId}`)}`;
}

/** Returns one spelling for all spellings of an address, with or without a prefix length. */
export function plainAddress(text: string): string {
  const ip = parseIp(addressIn(text));
  return ip?.bits === 128 ? BigInt(ip.value).toString(16) : addressIn(text);
}

function hashed(length: number, prefix: string, text: string): string {
  return (prefix + createHash("sha512").update(text).digest("hex")).slice(0, length);
}

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
    const list = result?.list && listFrom(result.list, result.file);
    return { network, containerId, runtimeIfName, result, remembered, list };
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
