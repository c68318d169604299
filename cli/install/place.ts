import { createHash } from "node:crypto";
import {
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import process from "node:process";
import { isOwn, readFile } from "../../shared/host/node/files.ts";
import { exposedDirectory, writeDurably } from "../files/atomic-write.ts";
import { Trouble, withPath } from "../terminal.ts";
import type { InstalledRelease } from "./release-of.ts";
import { executableName } from "./source.ts";

/** Where Nomad and containerd look for plugins. */
export const usualDirectory = "/opt/cni/bin";

/** The paths of an installation. */
export interface Place {
  readonly directory: string;
  readonly executable: string;
  /** For files that are not in use. Nomad runs every executable of `cni_path`, and looks into no directory. */
  readonly hidden: string;
  readonly previous: string;
}

/** Returns the paths of an installation in a directory. Throws Trouble if there is no such directory. */
export function placeAt(path: string, from: string): Place {
  const directory = resolve(from, path);
  const found = withPath(directory, () => statSync(directory, { throwIfNoEntry: false }));
  // guard: no directory is made by a misspelled --dir
  if (!found) throw new Trouble(`${directory}: there is no such directory; make it, or name another with --dir`);
  // guard: a file that --dir names
  if (!found.isDirectory()) throw new Trouble(`${directory}: it is not a directory`);
  const hidden = join(directory, `.${executableName}`);
  return { directory, executable: join(directory, executableName), hidden, previous: join(hidden, "previous") };
}

/** Whether a directory has a plugin that a wrapper could run: an executable that is none of our links. */
export function hasPlugins(place: Place): boolean {
  const isExecutable = (name: string) => (statSync(join(place.directory, name)).mode & 0o111) !== 0;
  return readdirSync(place.directory).some((name) => isPlugin(place, name) && isExecutable(name));
}

/** Whether a name in the directory is a file that is not ours. */
export function isPlugin(place: Place, name: string): boolean {
  const path = join(place.directory, name);
  if (path === place.executable || typeof linkState(place, name) === "string") return false;
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

/** Makes the directory for files that are not in use. With `recursive`, Node reports a read-only file system as a missing file. */
export function makeHidden({ hidden }: Place): void {
  try {
    mkdirSync(hidden, 0o755);
  } catch (error) {
    if (!existsSync(hidden)) throw error;
  }
}

/** Throws Trouble if a file cannot be moved or removed: the kernel links none that is immutable, or has a mount on it. */
export function demandMovable(place: Place, path: string): void {
  const probe = join(place.hidden, `probe.${ownMark()}`);
  makeHidden(place);
  withPath(path, () => linkSync(path, probe));
  rmSync(probe);
}

/** Whether a link's name is free, ours in another spelling, ours, or taken. `is` says by what. */
type LinkState = "missing" | "respelled" | "made" | { readonly is: string };

/** Looks at the name of a link. */
export function linkState({ directory, executable }: Place, name: string): LinkState {
  const path = join(directory, name);
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found) return "missing";
  // guard: a file or directory with a link's name
  if (!found.isSymbolicLink()) return { is: found.isDirectory() ? "a directory" : "a file" };
  const target = readlinkSync(path);
  // guard: a link that is not ours
  if (target === executableName) return "made";
  // guard: a link that leads elsewhere
  return resolve(directory, target) === executable ? "respelled" : { is: `a link to ${target}` };
}

/** Throws Trouble if a name that a link needs belongs to something else. */
export function checkLinks(place: Place, names: readonly string[]): void {
  const lines = names.flatMap((name) => {
    const state = linkState(place, name);
    // guard: a name that something else has
    if (typeof state === "string") return [];
    return `${join(place.directory, name)}: it is ${state.is} that install did not make; move it away, or choose with --plugins`;
  });
  // guard: nothing is installed while a name is taken
  if (lines.length > 0) throw new Trouble(lines.join("\n"));
}

/** Whether another user may change an executable, or gets its owner's rights. */
function isExposed(path: string): boolean {
  const found = statSync(path);
  return !isOwn(found) || (found.mode & 0o6022) !== 0;
}

/** Returns a file, or a directory above it, if another user may change the file there, or gets its owner's rights. */
export function exposedPart(path: string): string | undefined {
  if (isExposed(path)) return path;
  return exposedDirectory(realpathSync(dirname(path))) ?? exposedDirectory(dirname(realpathSync(path)));
}

/** What to do about a file or a directory that is exposed. */
export function exposureCure(path: string): string {
  return `run: chown root: ${path} && chmod ug-s,go-w ${path}`;
}

/** Throws Trouble if another user may change an executable, or gets its owner's rights. */
export function demandUnexposed(path: string): void {
  // guard: no rollback to an executable that another user may change
  if (!isExposed(path)) return;
  throw new Trouble(`${path}: another user may change it, or gets its owner's rights; ${exposureCure(path)}`);
}

/** Names a process for good: another process with its id starts at another time. */
export function ownMark(): string {
  return `${process.pid}-${startOf("self")}`;
}

/** Whether the process of a mark still runs. */
export function isAlive(mark: string): boolean {
  const [id = "", start] = mark.split("-");
  // guard: the files of an install that still runs
  return startOf(id) === start;
}

// proc_pid_stat(5): the 22nd field. The second one is a name in parentheses, which may have spaces.
function startOf(id: string): string | undefined {
  return readFile(`/proc/${id}/stat`)?.split(") ").pop()?.split(" ")[19];
}

/** Returns the checksum that `sha256sum` prints. */
export function sha256(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** Returns the version of each executable that `install` wrote into a directory, by its checksum; undefined before the first. */
export function writtenVersions({ hidden }: Place): ReadonlyMap<string, string> | undefined {
  const lines = readFile(fileIn(hidden))?.split("\n").filter(Boolean);
  return lines && new Map(lines.map((line) => [line.slice(0, 64), line.slice(66)]));
}

/** Notes the checksum of an executable. It happens before the executable is in place, so a kill leaves none without a line. */
export function noteWritten(place: Place, bytes: Buffer, { version }: InstalledRelease): void {
  const known = writtenVersions(place);
  const checksum = sha256(bytes);
  if (known?.get(checksum) === version) return;
  const lines = [...new Map(known).set(checksum, version)].map(([sum, its]) => `${sum}  ${its}\n`);
  const temporary = `${fileIn(place.hidden)}.${ownMark()}`;
  makeHidden(place);
  writeDurably(temporary, lines.join(""));
  renameSync(temporary, fileIn(place.hidden));
}

function fileIn(hidden: string): string {
  return join(hidden, "checksums");
}
