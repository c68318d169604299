import type { Role } from "../plugin/profile.ts";
import { canonicalJson, type JsonObject, jsonText } from "../protocol/json.ts";
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

/**
 * Finds the entry of the plugin that an ADD is for. A creator's is the one with its interface, whatever its type. A
 * chained plugin's also has its block and its configuration: two portmaps may differ in one of them only.
 */
export function ownEntry(journal: Journal, plugin: PluginIdentity): Entry | undefined {
  const entries = withoutStrays(journal);
  const isOwn = plugin.role === "creator" ? isOfInterface : isOfPlugin;
  // Of several, the last one that is not undone.
  return (
    entries.findLast((entry) => !entry.isUndone && isOwn(entry, plugin)) ??
    entries.findLast((entry) => isOwn(entry, plugin))
  );
}

/** Finds the entry that a CHECK or a DEL is for. The list may have been edited since its ADD. */
export function laterEntry(journal: Journal, plugin: PluginIdentity): Entry | undefined {
  const entries = withoutStrays(journal);
  const left = entries.filter(({ isUndone }) => !isUndone);
  return nearestOf(left, plugin) ?? nearestOf(entries, plugin);
}

function nearestOf(entries: readonly Entry[], plugin: PluginIdentity): Entry | undefined {
  const { type, ifName, role } = plugin;
  const made = role === "creator" ? entries.findLast((entry) => isOfInterface(entry, plugin)) : undefined;
  return (
    made ??
    entries.findLast((entry) => isOfPlugin(entry, plugin)) ??
    entries.findLast((entry) => isOfBlock(entry, plugin)) ??
    entries.findLast((entry) => entry.type === type && entry.checksum === plugin.checksum()) ??
    entries.findLast((entry) => entry.type === type && entry.ifName === ifName) ??
    // An unknown type may be a misspelled one.
    entries.findLast((entry) => role === undefined && entry.ifName === ifName && entry.checksum === plugin.checksum())
  );
}

function isOfInterface({ role, ifName }: Entry, plugin: PluginIdentity): boolean {
  return role === "creator" && ifName === plugin.ifName;
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
