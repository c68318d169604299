import { type Session, warn } from "../call/session.ts";
import type { FileIdentity } from "../host/host.ts";
import type { Facts } from "../journal/facts.ts";
import { containerDirectory, type Entry, isStanding, type Journal, type Line } from "../journal/journal.ts";
import { linesText, withLines } from "../journal/lines.ts";
import type { JsonObject } from "../protocol/json.ts";

/** A journal whose entries are undone, and where. */
export interface Undoing {
  readonly session: Session;
  readonly facts: Facts;
  readonly journal: Journal;
  /** CNI_NETNS of the call. No other namespace is touched. */
  readonly netns: string;
  /** What the list has now for one of the entries. Its DEL gets it if that of its ADD fails. */
  readonly listed?: { readonly entry: Entry; readonly configuration: JsonObject } | undefined;
}

/** Reads the container's journals again: a plugin's DEL takes a while, and other calls go on. */
export function readAgain({ facts, journal }: Undoing): void {
  facts.forget(journal.key.containerId);
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

/**
 * Tells a file from what others make of it. A file system gives an inode away again at once, and another journal may be as long,
 * so the change time counts, too.
 */
export function stampOf(file: FileIdentity | undefined, size = file?.size): string | undefined {
  return file && `${file.inode} ${size} ${file.changedMs}`;
}
