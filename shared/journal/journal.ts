import type { AddedInterface } from "../attachment/attachments.ts";
import type { FileIdentity } from "../host/host.ts";
import type { Role } from "../plugin/profile.ts";
import { canonicalJson, type JsonObject, jsonText } from "../protocol/json.ts";
import type { MovedRouting } from "./routing.ts";
import { sha256 } from "./sha256.ts";

/** Identifies one of the runtime's attachments. Its network is the list's, not the delegate's. */
export interface AttachmentKey {
  readonly network: string;
  readonly containerId: string;
  readonly runtimeIfName: string;
}

/** Returns the key of three names; undefined if one of them is no text. */
export function keyOf(network: unknown, containerId: unknown, runtimeIfName: unknown): AttachmentKey | undefined {
  const isNamed = typeof network === "string" && typeof containerId === "string" && typeof runtimeIfName === "string";
  return isNamed ? { network, containerId, runtimeIfName } : undefined;
}

/** A network namespace. The kernel gives an inode away again at once; the change time of a bind mount tells them apart. */
export interface Namespace {
  readonly path: string;
  readonly device: number;
  readonly inode: number;
  /** Undefined for a path in /proc and for a link to one, where the time means nothing. */
  readonly changedMs?: number | undefined;
}

/** A moment: the boot, and the seconds since then. No clock that can be set counts. */
export interface Moment {
  readonly bootId: string;
  readonly uptime: number;
}

/** The line that a wrapper writes before it runs a plugin's ADD: all that undoing it needs. */
export interface Began extends AttachmentKey, Moment {
  /** Identifies the entry in its journal. */
  readonly id: string;
  readonly type: string;
  readonly role: Role;
  readonly ifName: string;
  /** The delegate's network. */
  readonly delegateNetwork: string;
  /** The delegate's executable. */
  readonly path: string;
  /** CNI_ARGS of the delegate. */
  readonly args: string;
  readonly namespace: Namespace;
  /** The index of the interface of that name before ADD, 0 for none; undefined if it could not be read. */
  readonly before?: number | undefined;
  /** When libcni's result from before ADD was written, in milliseconds; undefined if there was none. */
  readonly resultMs?: number | undefined;
  /** A new try began with this ADD: no wrapped plugin had made an interface before. */
  readonly first?: true | undefined;
  /** Another entry may have been in use when this ADD began: it is given up until it has passed. */
  readonly stray?: true | undefined;
  /** The addresses that the ADD asked for, because the attachment had them before. */
  readonly asked?: readonly string[] | undefined;
  /** A checksum of the plugin's configuration in the list, without `wrapper`. */
  readonly checksum: string;
  /** The `wrapper` block. */
  readonly wrapper: JsonObject;
  /** The configuration that the delegate got. */
  readonly configuration: JsonObject;
}

/** The line after an ADD that passed. */
export interface Done {
  /** The index of the interface; undefined if it could not be read. */
  readonly made?: number | undefined;
  /** Such as `172.26.64.2/20`. */
  readonly addresses: readonly string[];
  /** Further container interfaces of the plugin. */
  readonly added?: readonly AddedInterface[] | undefined;
  /** The addresses from routers, such as `2001:db8::5/64`, which the result has and no plugin gave. */
  readonly routed?: readonly string[] | undefined;
  /** The routes and rules after the ADD of a plugin that moves routes. */
  readonly routing?: MovedRouting | undefined;
  /** Before ADD, somebody had set the MAC of the host device that the plugin shares among its containers, so the one in the result stays. */
  readonly fixedMac?: true | undefined;
}

/** The line after an ADD that failed. */
export interface Failed {
  /** The index of the interface of that name, 0 for none; undefined if it could not be read. */
  readonly left?: number | undefined;
  /** The addresses that it had leased; undefined if nobody has looked. */
  readonly addresses?: readonly string[] | undefined;
}

/** What is remembered of one plugin's ADD. */
export interface Entry extends Began {
  /** Undefined if the ADD did not pass, or still runs. */
  readonly done?: Done | undefined;
  /** The ADD failed. */
  readonly failed?: Failed | undefined;
  /** The attachment is given up: undone, or to be undone. What is undone is given up, too. */
  readonly isGivenUp: boolean;
  /** Nothing is left of it. */
  readonly isUndone: boolean;
}

/** A line of a journal. The first of a file is a `Began`, which says whose it is. */
export type Line =
  | ({ readonly line: "began"; readonly format: number } & Began)
  | ({ readonly line: "done"; readonly id: string } & Done)
  | ({ readonly line: "failed"; readonly id: string } & Failed)
  | { readonly line: "given up"; readonly ids: readonly string[] }
  | { readonly line: "undone"; readonly id: string };

/** What is remembered of one of the runtime's attachments. */
export interface Journal {
  readonly file: string;
  readonly key: AttachmentKey;
  /** In the order of their ADDs. */
  readonly entries: readonly Entry[];
  /** Why the file cannot be read, if that is so. Then it has no entries, and nothing is written to it. */
  readonly problem?: string | undefined;
  /** The last line was cut off, so that the next one needs a line break before it. */
  readonly isTorn: boolean;
}

/** The directory of the journals: a directory for each container. */
export const journalDirectory = "/var/lib/cni/wrappers";

/** The longest name of a file. In bytes; the names of CNI are ASCII. */
const longestName = 255;

/** Returns the directory with the journals of a container. */
export function containerDirectory(containerId: string): string {
  return `${journalDirectory}/${fileName(containerId)}`;
}

/** Returns the file of a journal. A colon separates the names, because none of them can contain one. */
export function journalFile({ network, containerId, runtimeIfName }: AttachmentKey): string {
  return `${containerDirectory(containerId)}/${fileName(`${network}:${runtimeIfName}`)}`;
}

function fileName(name: string): string {
  return name.length > longestName ? sha256(name) : name;
}

/** Returns a namespace, from what stat(2) says about its path; undefined if there is none. */
export function namespaceOf(path: string, file: FileIdentity | undefined): Namespace | undefined {
  if (file === undefined) return undefined;
  const { device, inode } = file;
  // Unless a mount keeps it, the kernel makes a namespace's inode again for each look through a process's link, with a new time.
  return path.startsWith("/proc/") || file.isUnnamed
    ? { path, device, inode }
    : { path, device, inode, changedMs: Math.floor(file.changedMs) };
}

/** Stands for the namespace of a path that leads to none. */
export function nowhere(path: string): Namespace {
  return { path, device: -1, inode: -1 };
}

/** Whether there was no namespace at the path. */
export function isNowhere({ inode }: Namespace): boolean {
  return inode < 0;
}

/** Whether two namespaces are one. */
export function isSameNamespace(one: Namespace, other: Namespace | undefined): boolean {
  if (other === undefined || one.device !== other.device || one.inode !== other.inode) return false;
  return one.changedMs === undefined || other.changedMs === undefined || one.changedMs === other.changedMs;
}

/** Returns the names of the container interfaces of an entry's plugin. */
export function namesOf({ ifName, done }: Entry): readonly string[] {
  return [ifName, ...(done?.added ?? []).map(({ name }) => name)];
}

/** Whether an entry is not given up, and so not undone either. */
export function isStanding({ isGivenUp }: Entry): boolean {
  return !isGivenUp;
}

/** The entries that say what is attached. A stray ADD does not, as long as it has not passed. */
export function withoutStrays({ entries }: Journal): readonly Entry[] {
  return entries.filter(({ stray }) => !stray);
}

/** Whether a DEL of an attachment was cut off: it begins with the last entry. */
export function isHalfRemoved(journal: Journal): boolean {
  return withoutStrays(journal).at(-1)?.isGivenUp === true;
}

/**
 * Returns entries in the order in which they are undone: from the end. An entry of a stray ADD goes right before the one that it
 * repeats: its plugin may remove that one's interface, which the DELs of chained plugins still need.
 */
export function fromTheEnd(entries: readonly Entry[]): readonly Entry[] {
  const isRepeat = (one: Entry, other: Entry) => one.type === other.type && one.ifName === other.ifName;
  const place = (entry: Entry) =>
    entry.stray ? entries.findIndex((one) => isRepeat(one, entry)) : entries.indexOf(entry);
  return entries.toReversed().toSorted((one, other) => place(other) - place(one));
}

/** Whether two keys are of one attachment. */
export function isSameAttachment(one: AttachmentKey, other: AttachmentKey): boolean {
  return (
    one.network === other.network && one.containerId === other.containerId && one.runtimeIfName === other.runtimeIfName
  );
}

/** By these an ADD finds the entry that an earlier ADD wrote for the same plugin. */
export interface PluginIdentity {
  readonly type: string;
  /** Undefined for an unknown plugin that states none. */
  readonly role: Role | undefined;
  readonly ifName: string;
  readonly wrapper: JsonObject;
  /** Made only if it is needed. */
  checksum(): string;
}

/** Tells by a mark whether an entry is a plugin's. */
type Mark = (entry: Entry, plugin: PluginIdentity) => boolean;

/** The marks by which a CHECK or a DEL finds the entry, the surest first: the list may have been edited since its ADD. */
const laterMarks: readonly Mark[] = [
  isOfInterface,
  isOfPlugin,
  isOfBlock,
  (entry, { type, checksum }) => entry.type === type && entry.checksum === checksum(),
  (entry, { type, ifName }) => entry.type === type && entry.ifName === ifName,
  // An unknown type may be a misspelled one.
  (entry, { role, ifName, checksum }) => role === undefined && entry.ifName === ifName && entry.checksum === checksum(),
];

/**
 * Finds the entry of the plugin that an ADD is for. A creator's is the one with its interface, whatever its type. A
 * chained plugin's also has its block and its configuration: two portmaps may differ in one of them only.
 */
export function ownEntry(journal: Journal, plugin: PluginIdentity): Entry | undefined {
  return lastMarked(journal, plugin, [plugin.role === "creator" ? isOfInterface : isOfPlugin]);
}

/** Finds the entry that a CHECK or a DEL is for. */
export function laterEntry(journal: Journal, plugin: PluginIdentity): Entry | undefined {
  return lastMarked(journal, plugin, laterMarks);
}

/** The last entry with the first mark that one has. What is undone counts only if nothing else has a mark. */
function lastMarked({ entries }: Journal, plugin: PluginIdentity, marks: readonly Mark[]): Entry | undefined {
  for (const mayBeUndone of [false, true]) {
    for (const isMarked of marks) {
      const found = entries.findLast(
        (entry) => !entry.stray && (mayBeUndone || !entry.isUndone) && isMarked(entry, plugin),
      );
      if (found) return found;
    }
  }
  return undefined;
}

function isOfInterface({ role, ifName }: Entry, plugin: PluginIdentity): boolean {
  return plugin.role === "creator" && role === "creator" && ifName === plugin.ifName;
}

function isOfPlugin(entry: Entry, plugin: PluginIdentity): boolean {
  return isOfBlock(entry, plugin) && entry.checksum === plugin.checksum();
}

function isOfBlock({ type, ifName, wrapper }: Entry, plugin: PluginIdentity): boolean {
  const isAlike = type === plugin.type && ifName === plugin.ifName;
  return isAlike && canonicalJson(wrapper) === canonicalJson(plugin.wrapper);
}

/** Returns a checksum of a plugin's configuration in its list, whatever `wrapper` is and the runtime adds. */
export function checksumOf(configuration: JsonObject): string {
  const given = ["prevResult", "runtimeConfig", "wrapper", "cniVersion"];
  // GC's lists of attachments have keys with this prefix.
  const listed = Object.entries(configuration).filter(([key]) => !given.includes(key) && !key.startsWith("cni.dev/"));
  const text = jsonText(listed);
  // FNV-1a, 32 bits: enough to tell a few configurations apart.
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return (hash >>> 0).toString(16);
}
