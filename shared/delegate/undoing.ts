import type { DelegateCall } from "../call/delegate-call.ts";
import { type Session, warn } from "../call/session.ts";
import type { FileIdentity } from "../host/host.ts";
import { findProgram } from "../host/programs.ts";
import type { Facts } from "../journal/facts.ts";
import { containerDirectory, type Entry, isStanding, type Journal, type Line, namesOf } from "../journal/journal.ts";
import { linesText, withLines } from "../journal/lines.ts";
import { type Around, checksSpoofs, type Del, masquerades, type Removal, removalOf } from "../journal/sharing.ts";
import { profileOf } from "../plugin/profile.ts";
import { CniError } from "../protocol/errors.ts";
import { goLookup, type JsonObject } from "../protocol/json.ts";
import { mayHaveLease } from "./taken-addresses.ts";

/** A journal whose entries are undone, and where. */
export interface Undoing {
  readonly session: Session;
  readonly facts: Facts;
  readonly journal: Journal;
  /** CNI_NETNS of the call. No other namespace is touched. */
  readonly netns: string;
  /** The list's present configuration for one of the entries. Its DEL gets this if it fails with the configuration of its ADD. */
  readonly listed?: { readonly entry: Entry; readonly configuration: JsonObject } | undefined;
}

/**
 * Writes that entries are given up, if they still stand. The siblings are read again after that: of two DELs at once, each
 * would leave what they share to the other.
 */
export function giveUp(undoing: Undoing, entries: readonly Entry[]): void {
  const { facts, journal } = undoing;
  const standing = facts.journal(journal.key).entries.filter(isStanding);
  const ids = standing.map(({ id }) => id).filter((id) => entries.some((entry) => entry.id === id));
  if (ids.length === 0) return;
  append(undoing, [{ line: "given up", ids }]);
  facts.forget(journal.key.containerId, journal.key);
}

/** Notes that an entry is undone whose DEL the runtime called for. With the last one, the journal is removed at once. */
export function noteUndone(undoing: Undoing, { id }: Entry): void {
  const { entries } = undoing.facts.journal(undoing.journal.key);
  // guard: a journal with another entry
  if (entries.some((one) => !one.isUndone && one.id !== id)) append(undoing, [{ line: "undone", id }]);
  else removeJournal(undoing);
}

/** Appends lines to the journal, if there still is one. A failure is logged: what is undone once may be undone again. */
export function append({ session, facts, journal }: Undoing, lines: readonly Line[]): void {
  const present = facts.journal(journal.key);
  // guard: a journal that is removed does not come back
  if (present.entries.length === 0) return;
  const text = `${present.isTorn ? "\n" : ""}${linesText(lines)}`;
  const problem = session.host.appendJournal(journal.file, text, { makesFile: false, isFlushed: false });
  facts.wrote(journal.file, text);
  // A line that lacked only its line break counts from now on, so that journal is parsed again.
  if (!present.isTorn) facts.keep(withLines(present, lines));
  // Another call may have undone everything meanwhile.
  if (problem !== undefined && problem !== "ENOENT") warn(session, `cannot write the journal: ${problem}`);
}

/** Removes a journal if every entry is undone. Returns whether something is left. */
export function removeIfUndone(undoing: Undoing): boolean {
  const { facts, journal } = undoing;
  const { entries, problem } = facts.journal(journal.key);
  // guard: a journal with an entry that is not undone, or that a newer version has written
  if (problem !== undefined || entries.some(({ isUndone }) => !isUndone)) return true;
  // A file without a whole line is what a full disk or a power loss left.
  if (facts.read(journal.file) !== undefined) removeJournal(undoing);
  return false;
}

/** Removes a journal, and the directory of its container if that is empty. */
export function removeJournal({ session, facts, journal }: Undoing): void {
  session.host.removeFile(journal.file);
  facts.wrote(journal.file, undefined);
  session.host.removeDirectory(containerDirectory(journal.key.containerId));
}

/** Whether another call has begun an ADD of the attachment meanwhile, or may have: the journal cannot be read. */
export function hasGrown({ facts, journal }: Undoing, known: readonly Entry[]): boolean {
  const { entries, problem } = facts.journalAgain(journal.key);
  return (
    // guard: a journal that cannot be read, or not as a whole, may have another entry
    facts.isUnreadable(journal.key) ||
    problem !== undefined ||
    // guard: a journal that another call has written to
    entries.some(({ id, isUndone }) => !isUndone && !known.some((one) => one.id === id))
  );
}

/**
 * Waits, for a second at most, until the ADD that has given an entry up has begun its own: it may get the same lease, which a DEL
 * of the entry would free. Where a DEL or GC has given it up, the journal goes.
 */
export function awaitNext({ session, facts, journal }: Undoing, entry: Entry): void {
  for (let time = 0; time < 20; time++) {
    const { entries } = facts.journalAgain(journal.key);
    const later = entries.slice(entries.findIndex(({ id }) => id === entry.id) + 1);
    if (entries.length === 0 || later.some(isStanding)) return;
    session.host.sleep(50);
  }
}

/** Returns a text that changes with a file. Its inode may be reused at once, and its size be the same, so its time counts. */
export function stampOf(file: FileIdentity | undefined, size = file?.size): string | undefined {
  return file && `${file.inode} ${size} ${file.changedMs}`;
}

/**
 * Decides what the DEL of an entry may remove. Of an earlier boot, only leases are left, and what an unknown plugin keeps on
 * the disk.
 */
export function planRemoval(undoing: Undoing, entry: Entry): Removal {
  // guard: what a sibling has whose journal cannot be read
  if (undoing.facts.unreadableSibling(undoing.journal.key) !== undefined) return { do: "later" };
  const isKnown = profileOf(entry.type, undoing.session.profiles) !== undefined;
  const isAgain = ({ type, ifName }: Entry) => type === entry.type && ifName === entry.ifName;
  // What an unknown plugin keeps may be the later ADD's by now.
  // guard: what a later ADD of an unknown plugin uses
  if (!isKnown && laterEntries(undoing, entry).some(isAgain)) return { do: "later" };
  // guard: no DEL for rules of an earlier boot
  if (!isOfThisBoot(undoing, entry) && entry.role === "meta" && isKnown) {
    return { do: "nothing", why: "its rules are of an earlier boot" };
  }
  return removalOf(entry, around(undoing, entry));
}

/** Throws code 5 if something of the container's other attachments cannot be read: a DEL that removed nothing for that must not pass. */
export function demandReadable({ facts, journal }: Undoing): void {
  const file = facts.unreadableSibling(journal.key);
  // guard: a DEL that has left everything is not called passed
  if (file !== undefined) throw new CniError("unreadableJournal", "", file);
}

function around(undoing: Undoing, entry: Entry): Around {
  const { session, facts, journal, netns } = undoing;
  const { entries } = facts.journal(journal.key);
  const position = entries.findIndex(({ id }) => id === entry.id);
  const { bootId } = facts.moment() ?? {};
  // guard: a namespace of this boot is not taken for one of an earlier boot
  const namespace = bootId === entry.bootId ? facts.namespace(netns) : undefined;
  return {
    namespace,
    bootId,
    siblings: [...facts.siblings(journal.key).flatMap(({ entries }) => entries), ...laterEntries(undoing, entry)],
    earlier: entries.slice(0, position).filter(({ isUndone }) => !isUndone),
    profile: profileOf(entry.type, session.profiles),
    link: () => session.host.linkIndex(netns, entry.ifName),
    isTaken: () => isTaken(undoing, entry),
    results: () => facts.otherResults(journal.key, namespace),
    mayHaveLease: ({ result }) => mayHaveLease(facts, entry, result),
    isThere: (one) => facts.isThere(one),
    hasProgram: (name) => findProgram(name, session.host.env.PATH, (path) => session.host.inspect(path)) !== undefined,
  };
}

/**
 * Whether another container has made an interface of an entry's name since. Only a path in /proc, or a link to one, leads to
 * another namespace that looks like the entry's: the others have a time.
 */
function isTaken({ facts, journal }: Undoing, { namespace, uptime, ifName }: Entry): boolean {
  // guard: a namespace with a time is never another's
  if (namespace.changedMs !== undefined) return false;
  const later = facts.strangers(journal.key.containerId, namespace).filter((other) => other.uptime > uptime);
  // guard: the interface of another container
  return later.some((other) => other.role === "creator" && namesOf(other).includes(ifName));
}

/**
 * Entries after an entry that stand: another call has begun them meanwhile, because the others after it are undone first. All
 * of them if that call has removed the journal before, or if the entry is a stray one, whose predecessor may be in use. None for
 * a DEL without an entry, which has no id.
 */
function laterEntries({ facts, journal }: Undoing, { id, stray }: Entry): readonly Entry[] {
  if (id === "") return [];
  const { entries } = facts.journal(journal.key);
  return entries.slice(stray ? 0 : entries.findIndex((one) => one.id === id) + 1).filter(isStanding);
}

/** Whether an entry is of this boot. */
function isOfThisBoot({ facts }: Undoing, { bootId }: Entry): boolean {
  return facts.moment()?.bootId === bootId;
}

/** Whether the master of a plugin's interface is gone. It counts as gone if `master` does not say which one it was. */
export function lacksMaster(
  { session: { host }, netns }: Undoing,
  { configuration }: DelegateCall,
  { withNamespace }: Del,
): boolean {
  const master = goLookup(configuration, "master");
  if (typeof master !== "string" || master === "") return true;
  // guard: a DEL that fails for another reason
  if (goLookup(configuration, "linkInContainer") !== true) return host.linkIndex("/proc/self/ns/net", master) === 0;
  return !withNamespace || !host.linkIndex(netns, master);
}

/** Whether the DEL of a plugin removes rules, but not without a namespace. They do not outlive a boot. */
export function removesRules(undoing: Undoing, entry: Entry, removal: Del): boolean {
  if (!isOfThisBoot(undoing, entry)) return false;
  const profile = profileOf(entry.type, undoing.session.profiles);
  // With its namespace, DEL finds the rules of macspoofchk by their names.
  const isSpoofChecked = !removal.withNamespace && !removal.keepsSpoofCheck && checksSpoofs(entry, profile);
  return isSpoofChecked || (!removal.keepsMasquerading && masquerades(entry, profile));
}
