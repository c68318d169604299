import type { AttachmentRecord, Origin, RecoveryMode } from "./record.ts";

/** How long after its last change a record may still be of a try that goes on. In milliseconds. */
const longestTry = 15 * 60 * 1000;

/** The part of a record that decides about recovery. */
export type Remembered = Origin &
  Pick<AttachmentRecord, "before" | "made" | "addresses" | "outlived"> &
  Partial<Pick<AttachmentRecord, "delegate" | "delegateNetwork" | "listed">>;

/** What ADD finds on the host. */
export interface Found {
  /** The record of this attachment, if there is one. */
  readonly record?: Remembered;
  /** Whether the attachment that the record describes was completed: it may be live. */
  readonly completed?: boolean;
}

/** What is there when ADD begins, or has failed. */
export interface Present extends Origin {
  /** The index of the interface of the attachment's name before ADD, 0 for none; undefined if nobody can look. */
  readonly before?: number | undefined;
  /** The same now. */
  readonly link?: number | undefined;
  /** Whether a cached result or another record says that the interface is another attachment's. */
  readonly claimed?: boolean;
}

/** What a wrapper does about a creator's ADD, before it runs or after it failed. */
export type RecoveryStep =
  /** Run DEL for what an earlier boot left, in no namespace, then ADD. */
  | "clean up, then add"
  | "add"
  /** Run DEL, and ADD once more. */
  | "add again"
  /** Pass the error on. */
  | "fail";

/** Decides about a creator's ADD: the table in docs, row by row. */
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

/** Whether ADD asks for the addresses of the record: as long as its attachment is one that may be healed. */
export function asksAgain({ record, completed }: Found, present: Origin, mode: RecoveryMode): boolean {
  if (mode === "never" || record === undefined) return false;
  return mode === "always" || (isSameOrigin(record, present) && !completed);
}

/**
 * Whether a record of a first try is written before ADD. A live attachment's own record must outlast an ADD that fails, and an
 * attachment that libcni knows without a record was made by something else, so that nothing of it is ours to clean.
 */
export function writesBefore({ record }: Found, isCached: boolean): boolean {
  return record === undefined && !isCached;
}

/** Whether an attachment is complete: libcni's result is newer than its record, or the record is too old to be of a try. */
export function isCompleted(recordedMs: number, cachedMs: number | undefined, nowMs: number): boolean {
  return (cachedMs !== undefined && cachedMs >= recordedMs) || Math.abs(nowMs - recordedMs) > longestTry;
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
  // A namespace that was made anew may have the inode of the old one, and its interfaces the same indexes.
  if (!isSameOrigin(record, present) || claimed) return false;
  if (record.made !== undefined) return link === record.made;
  // The wrapper was killed before it could say what ADD made.
  return record.before !== undefined && link !== record.before;
}
