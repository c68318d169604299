import type { AttachmentRecord, Origin, RecoveryMode } from "./record.ts";

/** How long after its last change a record may belong to a try that still runs. In milliseconds. */
const longestTry = 15 * 60 * 1000;

/** The part of a record that decides about recovery. */
export type Remembered = Origin &
  Pick<AttachmentRecord, "before" | "made" | "addresses" | "outlived"> &
  Partial<Pick<AttachmentRecord, "delegate" | "delegateNetwork" | "listed">>;

/** The record that ADD finds on the host. */
export interface Found {
  /** The record of this attachment, if there is one. */
  readonly record?: Remembered;
  /** Whether the attachment of the record was completed, so that it may be live. */
  readonly completed?: boolean;
}

/** The state of the host when ADD begins or has failed. */
export interface Present extends Origin {
  /** The index of the interface of the attachment's name before ADD, 0 for none; undefined if it could not be read. */
  readonly before?: number | undefined;
  /** The same index now. */
  readonly link?: number | undefined;
  /** Whether a cached result or another record says that the interface belongs to another attachment. */
  readonly claimed?: boolean;
}

/** The next step of a creator's ADD, before it runs or after it failed. */
export type RecoveryStep =
  /** Run DEL for what an earlier boot left, then ADD. */
  | "clean up, then add"
  | "add"
  /** Run DEL, and ADD once more. */
  | "add again"
  /** Pass the error on. */
  | "fail";

/** Decides the next step of a creator's ADD, row by row as in the tables of docs/behavior.md. */
export function recovery(found: Found, present: Present, failed: boolean, mode: RecoveryMode): RecoveryStep {
  const { record, completed } = found;
  const otherwise = failed ? "fail" : "add";
  if (mode === "never" || record === undefined) return otherwise;
  if (record.bootId !== present.bootId) return failed ? "fail" : "clean up, then add";
  if (!failed) return "add";
  if (!isOursOrNothing(record, present)) return "fail";
  if (mode === "always") return "add again";
  return record.namespace === present.namespace && !completed ? "add again" : "fail";
}

/** Whether ADD asks for the addresses of the record, because its attachment may be recovered. */
export function asksAgain(found: Found, present: Origin, mode: RecoveryMode): boolean {
  if (mode === "never" || found.record === undefined) return false;
  return mode === "always" || isTry(found, present);
}

/** Whether the record is of a try in this boot and namespace that did not become an attachment. */
export function isTry({ record, completed }: Found, present: Origin): boolean {
  return record !== undefined && isSameOrigin(record, present) && !completed;
}

/**
 * Whether a first try writes a record before ADD. A failed ADD must not overwrite the record of a live attachment. If libcni
 * knows the attachment but there is no record, something else made it, and it is not ours to remove.
 */
export function writesBefore({ record }: Found, isCached: boolean): boolean {
  return record === undefined && !isCached;
}

/**
 * Whether an attachment is complete: libcni's result is newer than its record, or the record is too old to belong to a try.
 */
export function isCompleted(recordedMs: number, cachedMs: number | undefined, nowMs: number): boolean {
  return (
    (cachedMs !== undefined && recordedMs <= cachedMs && cachedMs <= nowMs) || Math.abs(nowMs - recordedMs) > longestTry
  );
}

/** Whether a record was made in this boot and this network namespace. */
export function isSameOrigin(record: Origin, present: Origin): boolean {
  return record.bootId === present.bootId && record.namespace === present.namespace;
}

function isOursOrNothing(record: Remembered, present: Present): boolean {
  const { before, link, claimed } = present;
  if (link === undefined || before === undefined) return false;
  // This very ADD made it.
  if (link === 0 || link !== before) return true;
  // A new namespace may have the inode of an old one, and its interfaces the same indexes.
  if (!isSameOrigin(record, present) || claimed) return false;
  if (record.made !== undefined) return link === record.made;
  // The wrapper was killed before it could record what ADD made.
  return record.before !== undefined && link !== record.before;
}
