import type { Role } from "../plugin/profile.ts";
import { canonicalJson, type JsonObject, jsonText } from "../protocol/json.ts";
import type { Entry, Journal } from "./journal.ts";

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

/**
 * Returns a checksum of a plugin's configuration in its list. It does not depend on `wrapper`, nor on what the runtime adds.
 */
export function checksumOf(configuration: JsonObject): string {
  const given = ["prevResult", "runtimeConfig", "wrapper", "cniVersion"];
  // GC's lists of attachments have keys with this prefix.
  const listed = Object.entries(configuration).filter(([key]) => !given.includes(key) && !key.startsWith("cni.dev/"));
  return fnv(jsonText(listed));
}

// FNV-1a, 32 bits: enough to tell a few configurations apart.
function fnv(text: string): string {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return (hash >>> 0).toString(16);
}
