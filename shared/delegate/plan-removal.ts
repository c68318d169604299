import { type Entry, isStanding, namesOf } from "../journal/journal.ts";
import { type Around, type Removal, removalOf } from "../journal/sharing.ts";
import { profileOf } from "../plugin/profile.ts";
import { mayHaveLease } from "./taken-addresses.ts";
import type { Undoing } from "./undoing.ts";

/**
 * Decides what the DEL of an entry may remove. Of an earlier boot, only leases are left, and what an unknown plugin keeps on
 * the disk.
 */
export function planRemoval(undoing: Undoing, entry: Entry): Removal {
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
 * Entries that another call has begun meanwhile: all of them if it has removed the journal before. All others after an entry
 * are undone before it. A DEL without an entry has no id. An earlier one may be in use beside a stray one.
 */
function laterEntries({ facts, journal }: Undoing, { id, stray }: Entry): readonly Entry[] {
  if (id === "") return [];
  const { entries } = facts.journal(journal.key);
  return entries.slice(stray ? 0 : entries.findIndex((one) => one.id === id) + 1).filter(isStanding);
}

/** Whether an entry is of this boot. */
export function isOfThisBoot({ facts }: Undoing, { bootId }: Entry): boolean {
  return facts.moment()?.bootId === bootId;
}
