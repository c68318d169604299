import {
  type Entry,
  isHalfRemoved,
  isSameNamespace,
  isStanding,
  type Journal,
  type Moment,
  type Namespace,
  withoutStrays,
} from "./journal.ts";

/** `own` gives up what a try certainly left. `always` also gives up what may be in use. `never` gives up nothing. */
export type RecoveryMode = "own" | "always" | "never";

/** What an ADD finds on the host. */
export interface Present extends Moment {
  /** The default is `own`. */
  readonly mode: RecoveryMode | undefined;
  readonly namespace: Namespace;
  /** When libcni's result of the attachment was written, in milliseconds; undefined if there is none. */
  readonly resultMs: number | undefined;
  /** Whether a namespace that is not this one is still there. */
  isThere(namespace: Namespace): boolean;
}

/** How long after its last line a journal may be of a try that still runs. In seconds. */
const longestTry = 15 * 60;

/** What an ADD does about earlier entries. */
export type Recovery =
  /** Nothing is in the way: the entry is written before ADD runs. */
  | { readonly do: "add" }
  /** Give these entries up and undo them, then add. */
  | { readonly do: "undo, then add"; readonly entries: readonly Entry[]; readonly because: Because }
  /** The attachment may be in use: the plugin's own answer stands, and its entry counts only after it has passed. */
  | { readonly do: "add, then write" };

/** Why entries are given up. */
export type Because = "of an earlier boot" | "its namespace is gone" | "not complete" | "recover is always";

/** Decides what an ADD does about the entries that it would give up, row by row as in docs/behavior.md. */
export function recoveryOf(journal: Journal, adding: AddingPlugin, present: Present): Recovery {
  const { mode } = present;
  const left = entriesFrom(journal, adding, present).filter(({ isUndone }) => !isUndone);
  const areStrays = left.every(({ stray }) => stray);
  if (areStrays && mayBeOfOthers(journal, adding, present)) return { do: "add, then write" };
  if (left.length === 0) return { do: "add" };
  // guard: an earlier attachment, with recover: never
  if (mode === "never") return { do: "add, then write" };
  const reasons = left.filter(isStanding).map((entry) => whyGone(journal, entry, present));
  // guard: an attachment that may be in use
  if (!reasons.includes(undefined))
    return { do: "undo, then add", entries: left, because: reasons[0] ?? "not complete" };
  // guard: an attachment that may be in use, unless the operator says always
  if (mode === "always") return { do: "undo, then add", entries: left, because: "recover is always" };
  return { do: "add, then write" };
}

/** Whether something else may use what libcni has a result of. An entry of an earlier plugin of this try is newer. */
function mayBeOfOthers({ entries }: Journal, { own }: AddingPlugin, present: Present): boolean {
  // guard: what something else made before this try
  if (own !== undefined || present.resultMs === undefined) return false;
  // guard: what something else made before this try
  return !entries.some((entry) => isAfterResult(entry, present));
}

/** Whether an entry stands, is of this boot and namespace, and libcni has written no result since. */
function isAfterResult(entry: Entry, { resultMs, bootId, namespace }: Present): boolean {
  const isHere = entry.bootId === bootId && isSameNamespace(entry.namespace, namespace);
  return isStanding(entry) && isHere && entry.resultMs === resultMs;
}

/** The plugin whose ADD runs. */
export interface AddingPlugin {
  readonly own: Entry | undefined;
  /** The container interfaces in prevResult; undefined if a new try begins with the plugin. */
  readonly earlier: readonly string[] | undefined;
}

/** A plugin in a try that goes on, with an entry of its own. */
type WithEntry = AddingPlugin & { readonly own: Entry; readonly earlier: readonly string[] };

/** Says why the attachment of an entry is certainly not in use; undefined if it may be. */
function whyGone(journal: Journal, entry: Entry, present: Present): Because | undefined {
  // guard: an attachment of this boot
  if (entry.bootId !== present.bootId) return "of an earlier boot";
  if (entry.failed || isSameNamespace(entry.namespace, present.namespace)) {
    return isComplete(journal, entry, present) ? undefined : "not complete";
  }
  // guard: an attachment in another namespace that is there
  return present.isThere(entry.namespace) ? undefined : "its namespace is gone";
}

/**
 * Whether libcni has written a result since an entry, or the last entry's ADD passed and is too old to be of a try that still
 * runs. The clock does not count: if it is set back, a live attachment would look like a failed try.
 */
function isComplete(journal: Journal, entry: Entry, { resultMs, bootId, uptime }: Present): boolean {
  if (isHalfRemoved(journal)) return false;
  // guard: an attachment that libcni has written a result for
  if (resultMs !== undefined && resultMs !== entry.resultMs) return true;
  const ofBoot = withoutStrays(journal).filter((one) => one.bootId === bootId);
  const times = ofBoot.map((one) => one.uptime);
  // guard: an attachment whose ADD passed long ago
  return ofBoot.findLast(isStanding)?.done !== undefined && uptime - Math.max(...times) > longestTry;
}

/**
 * The entries that an ADD gives up: all if a new try begins, else the call's own and those after it. An entry that stands after a
 * given-up one is of this try. So is the maker of an interface in prevResult, and what stands after it.
 */
function entriesFrom(journal: Journal, { own, earlier }: AddingPlugin, present: Present): readonly Entry[] {
  if (earlier === undefined) return journal.entries;
  // guard: the entries of the try that goes on
  if (own === undefined || isTwins(journal, { own, earlier }, present)) return [];
  const after = journal.entries.slice(journal.entries.indexOf(own));
  const beginsTry = (entry: Entry) =>
    // guard: the entries of this try
    entry.isGivenUp || (entry !== own && entry.done && entry.role === "creator" && earlier.includes(entry.ifName));
  const first = after.findIndex(beginsTry);
  return first < 0 ? after : after.filter(({ isGivenUp }, index) => isGivenUp || index < first);
}

/**
 * Whether the call's entry is of an equal plugin that stands before this one in the list: a wrapper before both began this try.
 * Undoing it would also undo what the plugins between the two made.
 */
function isTwins({ entries }: Journal, { own, earlier }: WithEntry, present: Present): boolean {
  const began = entries.findLast(({ first }) => first);
  if (!own.done || !began?.done || !earlier.includes(began.ifName)) return false;
  const ofThisTry = entries.slice(entries.indexOf(began));
  // A creator may have added once more with another address.
  const left = ofThisTry.filter(({ isUndone }) => !isUndone);
  return left.includes(own) && left.every((entry) => isAfterResult(entry, present));
}

/** The addresses that the last attachment of an interface had, and whether others will do. */
export interface Lent {
  readonly addresses: readonly string[];
  readonly othersWillDo: boolean;
}

/**
 * Returns the addresses that an undone entry lends to the next ADD of its interface. Others will do after a reboot, and where
 * nothing stayed behind: rules of a failed DEL may still point to them.
 */
export function lentAddresses({ entries }: Journal, ifName: string, bootId: string): Lent {
  const lender = entries.findLast(
    (entry) => entry.isGivenUp && entry.role === "creator" && entry.ifName === ifName && addressesOf(entry).length > 0,
  );
  const othersWillDo = lender?.bootId !== bootId || !entries.some(({ isGivenUp, isUndone }) => isGivenUp && !isUndone);
  return { addresses: lender ? addressesOf(lender) : [], othersWillDo };
}

function addressesOf({ done, asked = [] }: Entry): readonly string[] {
  return done?.addresses ?? asked;
}

/** The log's words when an ADD gives up what an earlier one left. `cni-wrappers status` counts these lines. */
export const repairs: Readonly<Record<Because, string>> = {
  "of an earlier boot": "attached before this boot: undoing it before ADD",
  "its namespace is gone": "attached in a namespace that is gone: undoing it before ADD",
  "not complete": "an earlier try was not completed: undoing it before ADD",
  "recover is always": "wrapper.recover is always: undoing an earlier attachment before ADD",
};
