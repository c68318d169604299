import { existsSync, mkdirSync, rmSync } from "node:fs";
import { availableParallelism } from "node:os";
import { basename, dirname, join, relative } from "node:path";
import { appendJournal, attempt, removeDirectory } from "../../shared/host/node/files.ts";
import { journalDirectory } from "../../shared/journal/journal.ts";
import { isJsonObject, type JsonObject, parseJsonObject } from "../../shared/protocol/json.ts";
import type { CniResult } from "../../shared/protocol/result.ts";
import { unlink, writeAtomically } from "../files/atomic-write.ts";
import { filesIn, longestReport, readInput } from "../files/read-input.ts";
import { atOnce } from "../live/at-once.ts";
import {
  type CachedAttachment,
  fileNameOf,
  isAttachment,
  parseCachedResult,
  readCachedResult,
} from "../live/cached-results.ts";
import type { Verdict } from "../live/check.ts";
import { pathStateAt } from "../live/namespaces.ts";
import { Trouble, withPath } from "../terminal.ts";
import type { Case, Evidence, MissingJournal } from "./proposal.ts";

/** What `--undo` needs: the cache file before and after, and the journal that was added. */
interface Backup {
  readonly file: string;
  readonly before: string;
  readonly after: string;
  /** What the file was between two adoptions. */
  readonly between?: readonly string[];
  readonly journal?: MissingJournal | undefined;
}

/** The directory of the backups. It is not in the directory of the results, because libcni takes every file there for one. */
function backupDirectory(cacheDirectory: string): string {
  return join(cacheDirectory, "adopted");
}

/**
 * Replaces the result in an attachment's cache file, and writes the journal that it lacks. The backup is written first, so a
 * kill at any moment leaves the old file or the new one, and a backup that fits. Returns a function that takes it all back.
 * Throws Trouble if the file has changed since it was read.
 */
export function adopt(
  cacheDirectory: string,
  { file, text: read }: CachedAttachment,
  { result, journal }: { result: CniResult; journal: MissingJournal | undefined },
): () => void {
  // guard: a journal that an ADD has written meanwhile
  const added = journal && !existsSync(journal.file) ? journal : undefined;
  // Go's encoder wrote the file. The keys that adopt does not change keep their place.
  const after = JSON.stringify({ ...parseJsonObject(read), result });
  const earlier = backupOf(cacheDirectory, basename(file));
  const backups = backupDirectory(cacheDirectory);
  // With `recursive`, Node says of a read-only file system that there is no such file.
  withPath(backups, () => existsSync(backups) || mkdirSync(backups, 0o700));
  const own = { file, before: read, after, journal: added };
  writeBackup(cacheDirectory, earlier ? joined(earlier, own) : own);
  // The result comes last: after a kill, the next run still sees that something is missing.
  if (added) write(added);
  try {
    // libcni has no lock for its cache. A DEL in the meantime must not be undone by the new file.
    writeResult(cacheDirectory, file, after, () => {
      // guard: a result that changed since it was read
      if (textOf(file) !== read) throw new Trouble(`${file}: it changed meanwhile; run adopt again`);
    });
  } catch (error) {
    removeAdded(added);
    throw error;
  }
  return () => {
    undoOne(cacheDirectory, own);
    // guard: the backup of an earlier adoption
    if (earlier) writeBackup(cacheDirectory, earlier);
    else rmSync(backupFile(cacheDirectory, file), { force: true });
  };
}

function write({ file, text }: MissingJournal): void {
  const problem = appendJournal(file, text, { makesFile: true, isFlushed: true });
  if (problem !== undefined) throw new Trouble(`${file}: ${problem}`);
}

/** The oldest text is kept: an adoption of what adopt wrote continues the earlier one. */
function joined(earlier: Backup, own: Backup): Backup {
  // guard: a backup of another attachment does not come back
  if (!textsOf(earlier).includes(own.before)) return own;
  const { before, between = [], after, journal } = earlier;
  return { ...own, before, between: [...between, after], journal: own.journal ?? journal };
}

function textsOf({ before, after, between = [] }: Backup): readonly string[] {
  return [before, ...between, after];
}

function writeBackup(cacheDirectory: string, { file, ...backup }: Backup): void {
  writeAtomically(backupFile(cacheDirectory, file), `${JSON.stringify(backup)}\n`);
}

/** How `--undo` ended for one attachment. */
export type Undone = "restored" | "gone" | "lost" | "changed since" | Kept | "unreadable" | "failed";

/** Why a result is not restored. */
type Kept = "needed" | "unasked";

interface Asking extends Pick<Evidence, "check"> {
  readonly canAsk: (attachment: CachedAttachment) => boolean;
  readonly note: (line: string) => void;
}

/**
 * Returns the files that `undo` leaves: those whose CHECK passes now and would fail with what it restores, and those about which
 * CHECK cannot be asked. `note` gets a line about each of the latter.
 */
export async function keptResults(
  cacheDirectory: string,
  isWanted: (file: string) => boolean,
  { check, canAsk, note }: Asking,
): Promise<ReadonlyMap<string, Kept>> {
  const keptOf = async (backup: Backup | Pick<Backup, "file">): Promise<(readonly [string, Kept])[]> => {
    const now = readCachedResult(backup.file);
    const then = "before" in backup ? parseCachedResult(backup.file, backup.before) : undefined;
    if (!now || !then || !isAttachment(now) || !isAttachment(then)) return [];
    const verdict = await check(now);
    // guard: a CHECK that nobody can run says nothing about the old result
    if (verdict.is === "fails" && !canAsk(now)) {
      note(`${backup.file}: ${verdict.error}`);
      return [[backup.file, "unasked"]];
    }
    const isNeeded = verdict.is === "passes" && (await check(then)).is === "fails";
    return isNeeded ? [[backup.file, "needed"]] : [];
  };
  const wanted = backupsIn(cacheDirectory).filter(({ file }) => isWanted(file));
  return new Map((await atOnce(wanted, availableParallelism(), keptOf)).flat());
}

/**
 * Restores what `adopt` replaced, for the attachments that a filter accepts. A file that changed since stays, and so does one
 * that `keptResults` names. `note` gets a line about each that cannot be restored.
 */
export function undo(
  cacheDirectory: string,
  isWanted: (file: string) => boolean,
  { kept, note }: { readonly kept: ReadonlyMap<string, Kept>; readonly note: (line: string) => void },
): readonly (readonly [string, Undone])[] {
  return (
    backupsIn(cacheDirectory)
      // guard: the results of attachments that the operator did not name
      .filter(({ file }) => isWanted(file))
      .map((backup) => {
        const keptFor = kept.get(backup.file);
        // guard: a result without which the next restart kills the container
        if (keptFor) return [backup.file, keptFor];
        try {
          const undone = "before" in backup ? undoOne(cacheDirectory, backup) : "unreadable";
          // guard: the backup of a result that is not restored
          if (undone === "restored" || undone === "gone") remove(backupFile(cacheDirectory, backup.file));
          return [backup.file, undone];
        } catch (error) {
          // The other results do not depend on it.
          if (!(error instanceof Trouble)) throw error;
          note(error.message);
          return [backup.file, "failed"];
        }
      })
  );
}

function undoOne(cacheDirectory: string, backup: Backup): Undone {
  const { file, before, journal } = backup;
  const now = textOf(file);
  // guard: a result that changed since adopt wrote it
  if (now !== undefined && !textsOf(backup).includes(now)) return "changed since";
  const old = parseCachedResult(file, before);
  // guard: the last copy of a result that a container still needs
  if (now === undefined && isAttachment(old) && pathStateAt(old.netns) !== "gone") return "lost";
  removeAdded(journal);
  // guard: a result that DEL removed does not come back
  if (now === undefined) return "gone";
  writeResult(cacheDirectory, file, before, () => {
    // guard: a result that changed during the undo
    if (textOf(file) !== now) throw new Trouble(`${file}: it changed meanwhile; run adopt --undo again`);
  });
  return "restored";
}

/** A journal that has more lines by now is no longer adopt's alone. */
function removeAdded(journal: MissingJournal | undefined): void {
  // guard: a journal that has more than adopt's lines
  if (!journal || textOf(journal.file) !== journal.text) return;
  remove(journal.file);
  removeDirectory(dirname(journal.file));
}

function remove(path: string): void {
  withPath(path, () => unlink(path));
}

// libcni takes every file next to a result for a result, also what a killed process leaves. The time of the file tells preflight
// when the container started.
function writeResult(cacheDirectory: string, file: string, text: string, lastLook: () => void): void {
  writeAtomically(file, text, { beside: backupDirectory(cacheDirectory), lastLook, keepsTime: true });
}

function backupsIn(cacheDirectory: string): readonly (Backup | Pick<Backup, "file">)[] {
  const names = filesIn(backupDirectory(cacheDirectory));
  return names.map(
    (name) => attempt(() => backupOf(cacheDirectory, name)) ?? { file: resultFile(cacheDirectory, name) },
  );
}

function backupOf(cacheDirectory: string, name: string): Backup | undefined {
  const value = parseJsonObject(textOf(join(backupDirectory(cacheDirectory), name)) ?? "");
  // The backup's name tells the file, so that no backup can name a file elsewhere.
  if (!isBackup(value)) return undefined;
  const attachment = parseCachedResult(name, value.before);
  // guard: a backup under another name says nothing of the result of that name
  const isRenamed = isAttachment(attachment) && fileNameOf(attachment) !== name;
  return isRenamed ? undefined : { ...value, file: resultFile(cacheDirectory, name) };
}

function resultFile(cacheDirectory: string, name: string): string {
  return join(cacheDirectory, "results", name);
}

function isBackup(value: unknown): value is Omit<Backup, "file"> & JsonObject {
  // guard: a file that is no backup replaces nothing
  if (!isJsonObject(value) || typeof value.before !== "string" || typeof value.after !== "string") return false;
  // guard: a damaged backup replaces nothing
  if (value.between !== undefined && !Array.isArray(value.between)) return false;
  // guard: a damaged backup removes no journal
  return value.journal === undefined || (isJsonObject(value.journal) && isJournal(value.journal));
}

function isJournal({ file, text }: JsonObject): boolean {
  return (
    // guard: a backup names no file outside the journals' directory
    typeof text === "string" && typeof file === "string" && /^[^/.][^/]*\/[^/]+$/.test(relative(journalDirectory, file))
  );
}

function backupFile(cacheDirectory: string, file: string): string {
  return join(backupDirectory(cacheDirectory), basename(file));
}

function textOf(file: string): string | undefined {
  return existsSync(file) ? readInput(file, file, longestReport).toString() : undefined;
}

/** Writes a proposal, and runs CHECK again. If that does not pass, the files are restored, and the case is lost. */
export async function adoptCase(cacheDirectory: string, one: Case, check: Evidence["check"]): Promise<Case> {
  const { attachment, proposal } = one;
  // guard: a result for which no CHECK passed
  if (proposal.is !== "adoptable") return one;
  try {
    const takeBack = adopt(cacheDirectory, attachment, proposal);
    const verdict = await check({ ...attachment, result: proposal.result });
    // guard: nothing is called adopted whose CHECK fails afterwards
    if (verdict.is === "passes") return one;
    // The journal changed how a wrapper looks at the attachment.
    takeBack();
    return { ...one, proposal: { is: "lost", error: errorOf(verdict) } };
  } catch (error) {
    // The other cases do not depend on files that cannot be written.
    if (!(error instanceof Trouble)) throw error;
    return { ...one, proposal: { is: "unwritten", error: error.message } };
  }
}

function errorOf(verdict: Verdict): string {
  if (verdict.is === "fails") return verdict.error;
  return verdict.is === "gone" ? "its namespace is gone" : "CHECK did not run";
}
