import {
  closeSync,
  existsSync,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  futimesSync,
  lstatSync,
  openSync,
  readlinkSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import process from "node:process";
import { attempt, closing, isOwn, openByName, openDirectory } from "../../shared/host/node/files.ts";
import { type Terminal, Trouble, withPath } from "../terminal.ts";
import { longestList, longestReport, openInput, readInput, readOpened } from "./read-input.ts";

interface WriteOptions {
  readonly followsLinks?: boolean;
  readonly beside?: string;
  readonly lastLook?: () => void;
  readonly keepsTime?: boolean;
  readonly isPublic?: boolean;
}

/**
 * Writes a file in one step: a runtime reads the old text or the new one, never a part. A file that exists keeps its mode and
 * owner. A link is replaced by the new file, because anybody may have planted it. With `followsLinks`, a link stays a link if only
 * root or the caller can have made it, and is trouble otherwise. So is a linked directory that another user may have made, and a
 * file that is not regular (/dev/stdout must stay). `beside` is a directory of the same file system for the temporary file, if a
 * runtime would read it next to the target. `lastLook` runs right before the step, and the step is left out if it throws.
 * With `keepsTime` the file looks as old as before, and with `isPublic` everybody may read a new one. Throws Trouble if the file
 * cannot be written; nothing has changed then.
 */
export function writeAtomically(
  path: string,
  text: string,
  { followsLinks = false, beside, lastLook = () => {}, keepsTime = false, isPublic = false }: WriteOptions = {},
): void {
  withPath(path, () => {
    const asked = followsLinks ? linkTarget(path) : path;
    const directory = openDirectoryOf(asked);
    const here = `/proc/self/fd/${directory}`;
    const target = join(here, basename(asked));
    // Runtimes read files by the end of their names. They do not read this one.
    const temporary = join(beside ?? here, `.${basename(asked)}.${process.pid}.tmp`);
    try {
      const old = replaceable(target, path);
      writeDurably(temporary, text, old ? 0o600 : 0o644, (descriptor) => {
        if (old) takeOver(descriptor, old);
        else if (isPublic) fchmodSync(descriptor, 0o644);
        if (old && keepsTime) futimesSync(descriptor, old.atime, old.mtime);
      });
      lastLook();
      renameSync(temporary, target);
      syncDirectory(here);
    } catch (error) {
      rmSync(temporary, { force: true });
      throw error;
    } finally {
      closeSync(directory);
    }
  });
}

/** Throws Trouble if a file that an option names has something that the command did not write: it may be the list itself. */
export function demandReplaceable(
  name: string,
  { directory }: Pick<Terminal, "directory">,
  { command, isOutput }: { readonly command: string; readonly isOutput: (text: string) => boolean },
): void {
  const path = resolve(directory, name);
  demandNoDirectory(name, path);
  const text = attempt(() => statSync(path).isFile()) ? readInput(name, path, longestReport).toString() : "";
  // guard: a file that the command did not write
  if (text !== "" && !isOutput(text))
    throw new Trouble(
      `${name} exists, and ${command} did not write it; name another file, or remove this one if nobody needs it`,
    );
}

/** Throws Trouble if a file that an option names is a directory. */
export function demandNoDirectory(name: string, path: string): void {
  if (attempt(() => statSync(path).isDirectory())) throw new Trouble(`${name} is a directory: name a file in it`);
}

/** Holds the directory of a file, so that nobody can put a link into the place of one above meanwhile. */
function openDirectoryOf(path: string): number {
  try {
    return openByName(dirname(path), openDirectory, openDirectory);
  } catch (error) {
    const directory = dirname(path);
    const isMissing = (error as NodeJS.ErrnoException).code === "ENOENT" && !existsSync(directory);
    if (isMissing) throw new Trouble(`${path}: its directory is missing; make it: mkdir -p ${directory}`);
    if (!attempt(() => statSync(directory).isDirectory())) throw error;
    throw new Trouble(
      `${path}: a directory of its path is a link in a place where another user may write. Name the directory itself`,
    );
  }
}

/** Returns the file that a new one replaces; undefined if there is none, or a link. Throws Trouble if it must stay. */
function replaceable(target: string, path: string): Stats | undefined {
  const found = attempt(() => statSync(target));
  const isOutput = [1, 2].some((stream) => found && isSame(fstatSync(stream), found));
  // guard: the file that is the command's own output
  if (isOutput) throw new Trouble(`${path}: it is this command's own output`);
  // guard: a device or a pipe
  if (found && !found.isFile() && !found.isDirectory()) throw new Trouble(`${path}: it is not a regular file`);
  const named = lstatSync(target, { throwIfNoEntry: false });
  // guard: the mode of a link's target is not taken over
  return named?.isSymbolicLink() ? undefined : named;
}

function isSame(one: Stats, other: Stats): boolean {
  return one.dev === other.dev && one.ino === other.ino;
}

// Resolving the whole path would leave the namespace of a path below /proc/<pid>/root.
function linkTarget(path: string): string {
  const found = lstatSync(path, { throwIfNoEntry: false });
  // guard: a file that is no link is written itself
  if (!found?.isSymbolicLink()) return path;
  // guard: the target of a link that another user may have made
  if (!isOwn(found) || exposedDirectory(dirname(path)) !== undefined) {
    throw new Trouble(
      `${path}: it is a link in a place where another user may write. Replace it with its file, or name the file`,
    );
  }
  return linkTarget(resolve(dirname(path), readlinkSync(path)));
}

/** Returns a directory, or one above it, where another user can put something into the place of what is in it, if there is one. */
export function exposedDirectory(directory: string): string | undefined {
  const found = statSync(directory);
  const isSticky = (found.mode & 0o1000) !== 0;
  // guard: a directory where another user may write
  if (!isOwn(found) || ((found.mode & 0o022) !== 0 && !isSticky)) return directory;
  // guard: a directory below one where another user may write
  return directory === dirname(directory) ? undefined : exposedDirectory(dirname(directory));
}

/**
 * Copies a list to `<path>.bak`, or to `<path>.bak.1` and so on: a copy never replaces an older one. No link of another user is
 * followed, neither to the file nor to its directory. Returns the copy's path.
 */
export function backUp(path: string): string {
  const directory = withPath(path, () => openDirectoryOf(path));
  return closing(directory, () => {
    const here = `/proc/self/fd/${directory}/${basename(path)}`;
    return closing(
      withPath(path, () => openInput(path, here)),
      (file) => {
        const text = readOpened(path, file, longestList);
        const mode = fstatSync(file).mode & 0o777;
        for (let count = 0; ; count++) {
          const end = count === 0 ? ".bak" : `.bak.${count}`;
          if (withPath(`${path}${end}`, () => isMade(`${here}${end}`, text, mode))) return `${path}${end}`;
        }
      },
    );
  });
}

/** Makes a file, and writes it to the disk. `finish` changes what is not its content. */
export function writeDurably(
  path: string,
  content: string | Buffer,
  mode = 0o644,
  finish: (descriptor: number) => void = () => {},
): void {
  closing(openSync(path, "wx", mode), (descriptor) => {
    writeFileSync(descriptor, content);
    finish(descriptor);
    fsyncSync(descriptor);
  });
}

function takeOver(descriptor: number, { uid, gid, mode }: Stats): void {
  const own = fstatSync(descriptor);
  if (own.uid !== uid || own.gid !== gid) fchownSync(descriptor, uid, gid);
  // After chown, which clears bits of the mode.
  fchmodSync(descriptor, mode & 0o7777);
}

function isMade(copy: string, text: Buffer, mode: number): boolean {
  try {
    writeDurably(copy, text, 0o600, (descriptor) => fchmodSync(descriptor, mode));
    return true;
  } catch (error) {
    // guard: an older backup
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    // Half a backup looks like one.
    rmSync(copy, { force: true });
    throw error;
  }
}

/** Removes a file, or finds it gone. Throws with a code that says why it stays: rmSync has none for a read-only file system. */
export function unlink(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    // A DEL may have been faster.
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
}

/** Makes the names in a directory durable. */
export function syncDirectory(path: string): void {
  closing(openSync(path, "r"), fsyncSync);
}
