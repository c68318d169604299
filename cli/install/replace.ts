import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { syncDirectory } from "../files/atomic-write.ts";
import { Trouble, withPath } from "../trouble.ts";
import { noteWritten, sha256 } from "./checksums.ts";
import { isAlive, ownMark } from "./mark.ts";
import type { Place } from "./place.ts";
import { type InstalledRelease, releaseOf } from "./release-of.ts";
import { executableName } from "./source.ts";

/**
 * Writes the executable, runs it, and puts it into its place in one step. The one that was there becomes the previous one.
 * Throws Trouble if that is impossible, and what `check` throws; the old one is in its place then.
 */
export function putInPlace(place: Place, bytes: Buffer, check: (release: InstalledRelease) => void): InstalledRelease {
  const fresh = join(place.hidden, `new.${ownMark()}`);
  return withPath(place.directory, () => {
    try {
      makeHidden(place);
      const release = written(fresh, bytes);
      check(release);
      noteWritten(place, bytes, release);
      swapIn(place, fresh);
      return release;
    } finally {
      rmSync(fresh, { force: true });
    }
  });
}

/** Exchanges the executable for the previous one. */
export function rollBack(place: Place): InstalledRelease {
  if (!existsSync(place.previous)) throw new Trouble(`${place.directory}: no previous version is kept there`);
  const release = releaseOf(place.previous);
  if (!release) throw new Trouble(`${place.previous}: it does not answer as cni-wrappers does`);
  withPath(place.directory, () => swapIn(place, place.previous));
  return release;
}

/** Makes a link to the executable in one step. */
export function makeLink(place: Place, name: string): void {
  const { directory, hidden } = place;
  const temporary = join(hidden, `link.${ownMark()}`);
  withPath(join(directory, name), () => {
    makeHidden(place);
    symlinkSync(executableName, temporary);
    renameSync(temporary, join(directory, name));
  });
}

/** Tidies up after commands that were killed: what is half done is removed, and a version that was replaced stays the previous one. */
export function settle(place: Place): void {
  if (!existsSync(place.hidden)) return;
  withPath(place.hidden, () => {
    for (const name of readdirSync(place.hidden)) {
      const [, kind, mark = ""] = /^(new|link|previous|checksums)\.(.+)$/.exec(name) ?? [];
      if (kind === undefined || isAlive(mark)) continue;
      const path = join(place.hidden, name);
      if (kind === "previous" && !isSameFile(path, place.executable)) renameSync(path, place.previous);
      else rmSync(path);
    }
  });
}

// With `recursive`, Node reports a read-only file system as a missing file.
function makeHidden({ hidden }: Place): void {
  if (!existsSync(hidden)) mkdirSync(hidden);
}

function written(path: string, bytes: Buffer): InstalledRelease {
  const descriptor = openSync(path, "wx", 0o700);
  try {
    writeFileSync(descriptor, bytes);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  chmodSync(path, 0o755);
  if (sha256(readFileSync(path)) !== sha256(bytes))
    throw new Trouble(`${path}: the disk does not have what was written to it`);
  const release = releaseOf(path);
  if (!release) throw new Trouble("the executable does not answer as cni-wrappers does; nothing has changed");
  return release;
}

// A second name keeps the old file. After the first rename the new one is in use, so a kill leaves one of the two.
function swapIn({ directory, executable, hidden, previous }: Place, fresh: string): void {
  const kept = join(hidden, `previous.${ownMark()}`);
  const isReplaced = existsSync(executable);
  if (isReplaced) linkSync(executable, kept);
  try {
    renameSync(fresh, executable);
  } catch (error) {
    if (isReplaced) rmSync(kept);
    throw error;
  }
  syncDirectory(directory);
  if (isReplaced) renameSync(kept, previous);
  syncDirectory(hidden);
}

function isSameFile(one: string, other: string): boolean {
  const [first, second] = [one, other].map((path) => statSync(path, { throwIfNoEntry: false }));
  return first?.ino === second?.ino && first?.dev === second?.dev;
}
