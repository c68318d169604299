import type { Role } from "../plugin/profile.ts";
import { canonicalJson, type JsonObject } from "../protocol/json.ts";
import { jsonText } from "../protocol/json-text.ts";
import { type Entry, type Journal, withoutStrays } from "./journal.ts";

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

type Matches = (entry: Entry) => boolean;

/**
 * Finds the entry of the plugin that an ADD is for. A creator's is the one with its interface, whatever its type. A
 * chained plugin's also has its block and its configuration: two portmaps may differ in one of them only.
 */
export function ownEntry(journal: Journal, plugin: PluginIdentity): Entry | undefined {
  return lastOf(withoutStrays(journal), isCreator(plugin) ? isOfInterface(plugin) : isOfPlugin(plugin));
}

/** Finds the entry that a CHECK or a DEL is for. The list may have been edited since its ADD. */
export function laterEntry(journal: Journal, plugin: PluginIdentity): Entry | undefined {
  const entries = withoutStrays(journal);
  const left = entries.filter(({ isUndone }) => !isUndone);
  return nearestOf(left, plugin) ?? nearestOf(entries, plugin);
}

function nearestOf(entries: readonly Entry[], plugin: PluginIdentity): Entry | undefined {
  const { type, ifName, role } = plugin;
  const hasBlock = isOfBlock(plugin);
  return (
    (isCreator(plugin) ? entries.findLast(isOfInterface(plugin)) : undefined) ??
    entries.findLast(isOfPlugin(plugin)) ??
    entries.findLast((entry) => entry.type === type && entry.ifName === ifName && hasBlock(entry)) ??
    entries.findLast((entry) => entry.type === type && entry.checksum === plugin.checksum()) ??
    entries.findLast((entry) => entry.type === type && entry.ifName === ifName) ??
    // An unknown type may be a misspelled one.
    entries.findLast((entry) => role === undefined && entry.ifName === ifName && entry.checksum === plugin.checksum())
  );
}

function isCreator({ role }: PluginIdentity): boolean {
  return role === "creator";
}

function isOfInterface({ ifName }: PluginIdentity): Matches {
  return (entry) => entry.role === "creator" && entry.ifName === ifName;
}

function isOfPlugin(plugin: PluginIdentity): Matches {
  const { type, ifName, checksum } = plugin;
  const hasBlock = isOfBlock(plugin);
  return (entry) => entry.type === type && entry.ifName === ifName && hasBlock(entry) && entry.checksum === checksum();
}

// The block's text is made only if an entry gets that far.
function isOfBlock({ wrapper }: PluginIdentity): Matches {
  let block: string | undefined;
  return (entry) => {
    block ??= canonicalJson(wrapper);
    return canonicalJson(entry.wrapper) === block;
  };
}

// Of several, the last one that is not undone.
function lastOf(entries: readonly Entry[], isIt: Matches): Entry | undefined {
  return entries.findLast((entry) => !entry.isUndone && isIt(entry)) ?? entries.findLast(isIt);
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
