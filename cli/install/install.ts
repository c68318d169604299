import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { join } from "node:path";
import { profiles } from "../../plugins/index.ts";
import { hasSameBytes } from "../../shared/host/node/executable-file.ts";
import { removeDirectory } from "../../shared/host/node/files.ts";
import { syncDirectory, writeDurably } from "../files/atomic-write.ts";
import { isPluginName } from "../host/plugin-folder.ts";
import { Trouble, withPath } from "../terminal.ts";
import {
  checkLinks,
  demandMovable,
  demandUnexposed,
  isAlive,
  isPlugin,
  linkState,
  makeHidden,
  noteWritten,
  ownMark,
  type Place,
  sha256,
  writtenVersions,
} from "./place.ts";
import { type InstalledRelease, releaseOf, releaseOrProblem } from "./release-of.ts";
import { executableName, type Source } from "./source.ts";

/** What `install` did. */
export interface Installed {
  readonly is: "installed" | "replaced" | "already installed" | "rolled back";
  readonly executable: string;
  readonly release: InstalledRelease;
  readonly sha256: string;
  /** The release that was there before. */
  readonly replaced: InstalledRelease | undefined;
  readonly links: readonly string[];
  readonly newLinks: readonly string[];
}

const ending = "-wrapper";

/** Finds the lists with `wrapper.jq`: they need the Node flavor. Throws Trouble if a list cannot be read. */
type FindNeedJq = () => readonly string[];

/** Installs an executable and its links, the links last. */
export function install(place: Place, source: Source, plugins: string, needJq: FindNeedJq = () => []): Installed {
  const before = ownRelease(place);
  const names = wantedLinks(place, source, plugins);
  checkLinks(place, names);
  settle(place);
  const isSame = before !== undefined && readFileSync(place.executable).equals(source.bytes);
  if (isSame) withPath(place.hidden, () => noteWritten(place, source.bytes, before));
  if (isSame) checkVersion(before, source);
  const check = (fresh: InstalledRelease) => {
    checkVersion(fresh, source);
    checkJq(fresh, needJq);
    // After a rollback to a copy by hand, the next one goes forward again.
    if (before && !writtenVersions(place)) noteWritten(place, readFileSync(place.executable), before);
  };
  const release = isSame ? before : putInPlace(place, source.bytes, check);
  const newLinks = names.filter((name) => linkState(place, name) !== "made");
  for (const name of newLinks) makeLink(place, name);
  if (newLinks.length > 0) withPath(place.directory, () => syncDirectory(place.directory));
  const replaced = isSame ? undefined : before;
  const is = isSame ? "already installed" : replaced ? "replaced" : "installed";
  const { executable } = place;
  return { is, executable, release, sha256: sha256(source.bytes), replaced, links: names, newLinks };
}

/** Puts the previous executable back. */
export function installPrevious(place: Place, needJq: FindNeedJq = () => []): Installed {
  const replaced = releaseToLeave(place);
  // guard: a copy by hand is not rolled back to an older version
  if (replaced && existsSync(place.previous)) checkWritten(place);
  settle(place);
  // guard: no rollback to a flavor without jq under a list with wrapper.jq
  const release = rollBack(place, (kept) => replaced?.flavor === "node" && checkJq(kept, needJq));
  const { executable } = place;
  const checksum = sha256(withPath(executable, () => readFileSync(executable)));
  return { is: "rolled back", executable, release, sha256: checksum, replaced, links: [], newLinks: [] };
}

// The executable may be broken: a rollback is for that, too.
function releaseToLeave(place: Place): InstalledRelease | undefined {
  const isFile = lstatSync(place.executable, { throwIfNoEntry: false })?.isFile();
  // guard: what is no broken executable of ours is not replaced by a rollback
  const isBroken = isFile && existsSync(place.previous) && !releaseOrProblem(place.executable).release;
  return isBroken ? undefined : ownRelease(place);
}

// After a copy by hand the kept version is an older one than the version before the copy.
function checkWritten(place: Place): void {
  // guard: a copy by hand is not rolled back
  if (writtenVersions(place)?.has(sha256(readFileSync(place.executable)))) return;
  throw new Trouble(
    `${place.executable}: install did not write it, so the kept version is not the one before it; install the version that you want with --from`,
  );
}

// Whoever can rename an old archive could bring back a fault that was fixed.
function checkVersion({ version }: InstalledRelease, { version: named = version }: Source): void {
  // guard: no old archive with a newer name
  if (version === named) return;
  throw new Trouble(`the archive's name says ${named}, but its executable is ${version}; download it again`);
}

function checkJq({ flavor }: InstalledRelease, needJq: FindNeedJq): void {
  const lists = flavor === "node" ? [] : needJq();
  // guard: no flavor without jq under a list with wrapper.jq
  if (lists.length === 0) return;
  throw new Trouble(
    lists
      .map((list) => `${list}: it has wrapper.jq, and the slim flavor has no jq; install the Node flavor`)
      .join("\n"),
  );
}

function wantedLinks(place: Place, { links }: Source, plugins: string): readonly string[] {
  const known = links ?? Object.keys(profiles).map((plugin) => plugin + ending);
  if (plugins === "all") return known;
  const wanted = plugins.split(",").map((plugin) => plugin.trim());
  for (const plugin of wanted) {
    const isThere = isPluginName(plugin) && isPlugin(place, plugin);
    // guard: no link for a plugin that is not there
    if (!isThere && !known.includes(plugin + ending))
      throw new Trouble(
        `--plugins: there is no plugin ${plugin} in ${place.directory}, and it is none of ${known.map((name) => name.slice(0, -ending.length)).join(", ")}`,
      );
  }
  return [...new Set(wanted)].map((plugin) => plugin + ending);
}

/**
 * Writes the executable, runs it, and puts it into its place in one step. The one that was there becomes the previous one.
 * Throws Trouble if that is impossible, and what `check` throws; the old one is in its place then.
 */
function putInPlace(place: Place, bytes: Buffer, check: (release: InstalledRelease) => void): InstalledRelease {
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
      removeDirectory(place.hidden);
    }
  });
}

/** Exchanges the executable for the previous one. */
function rollBack(place: Place, check: (release: InstalledRelease) => void): InstalledRelease {
  // guard: no rollback to nothing
  if (!existsSync(place.previous))
    throw new Trouble(
      `${place.directory}: no previous version is kept there, as after a first install; cni-wrappers install --from FILE installs another, and cni-wrappers uninstall removes this one`,
    );
  demandUnexposed(place.previous);
  const release = releaseOf(place.previous);
  // guard: no rollback to what does not answer as cni-wrappers
  if (!release) throw new Trouble(`${place.previous}: it does not answer as cni-wrappers does`);
  check(release);
  withPath(place.directory, () => swapIn(place, place.previous));
  return release;
}

/** Makes a link to the executable in one step. */
function makeLink(place: Place, name: string): void {
  const { directory, hidden } = place;
  const temporary = join(hidden, `link.${ownMark()}`);
  withPath(join(directory, name), () => {
    symlinkSync(executableName, temporary);
    renameSync(temporary, join(directory, name));
  });
}

/** Tidies up after commands that were killed: what is half done is removed, and a version that was replaced stays the previous one. */
function settle(place: Place): void {
  const hidden = lstatSync(place.hidden, { throwIfNoEntry: false });
  // guard: nothing is written or removed through a link
  if (hidden && !hidden.isDirectory())
    throw new Trouble(`${place.hidden}: it is a link that leads elsewhere, or a file; move it away`);
  const kept = lstatSync(place.previous, { throwIfNoEntry: false });
  // guard: nothing takes the place of what install did not keep
  if (kept && !kept.isFile()) throw new Trouble(`${place.previous}: it is no file that install kept; move it away`);
  // guard: nothing is put in place if the version before it cannot be kept
  if (kept) demandMovable(place, place.previous);
  if (!existsSync(place.hidden)) return;
  withPath(place.hidden, () => {
    for (const name of readdirSync(place.hidden)) {
      const [, kind, mark = ""] = /^(new|link|previous|checksums|probe)\.(.+)$/.exec(name) ?? [];
      // guard: the files of an install that still runs, and of others
      if (kind === undefined || isAlive(mark)) continue;
      const path = join(place.hidden, name);
      // guard: the executable that a killed install had replaced
      if (kind === "previous" && !isSameFile(path, place.executable)) renameSync(path, place.previous);
      else rmSync(path);
    }
  });
}

function written(path: string, bytes: Buffer): InstalledRelease {
  writeDurably(path, bytes, 0o700);
  chmodSync(path, 0o755);
  // guard: no executable that the disk did not take whole
  if (sha256(readFileSync(path)) !== sha256(bytes))
    throw new Trouble(`${path}: the disk does not give back what was written; nothing has changed: check the disk`);
  const release = releaseOf(path);
  // guard: no executable that does not answer
  if (!release) throw new Trouble("the executable does not answer as cni-wrappers does; nothing has changed");
  return release;
}

// A second name keeps the old file. After the first rename the new one is in use, so a kill leaves one of the two.
function swapIn({ directory, executable, hidden, previous }: Place, fresh: string): void {
  const kept = join(hidden, `previous.${ownMark()}`);
  const isReplaced = existsSync(executable);
  // guard: the executable that was there, for a rollback
  if (isReplaced) linkSync(executable, kept);
  // guard: the executable before it, which another install of the same one has kept meanwhile
  if (isReplaced && hasSameBytes(kept, fresh)) {
    rmSync(kept);
    return;
  }
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

/**
 * Returns the release that is installed; undefined if there is none. Throws Trouble if the installation belongs to a package, or
 * if something else has the executable's name.
 */
export function ownRelease(place: Place): InstalledRelease | undefined {
  const { directory, executable, hidden } = place;
  const owner = join(hidden, "owner");
  // guard: the installation of a package
  if (existsSync(owner)) throw new Trouble(`${directory}: ${readFileSync(owner, "utf8").trim()}`);
  const found = lstatSync(executable, { throwIfNoEntry: false });
  if (!found) return undefined;
  // guard: the executable that a link leads to
  if (found.isSymbolicLink())
    throw new Trouble(`${executable}: it is a link to ${readlinkSync(executable)}; name that directory with --dir`);
  const { release, problem } = releaseOrProblem(executable);
  // guard: a file of others with the executable's name
  if (release) return release;
  throw new Trouble(`${executable}: ${problem}`);
}

/** Returns the paths of an installation: its links, the executable, and what is kept. */
export function ownPaths(place: Place): readonly string[] {
  const { directory, executable, hidden } = place;
  const isOurs = (name: string) => ["made", "respelled"].includes(linkState(place, name) as string);
  // guard: a file or link that is not ours
  const links = withPath(directory, () => readdirSync(directory)).filter(isOurs);
  return [...links.map((name) => join(directory, name)), executable, hidden].filter(isThere);
}

/** Removes every link to the executable, then the executable, the previous one last. Returns the removed paths. */
export function removeAll(place: Place): readonly string[] {
  const { directory, executable, hidden, previous } = place;
  return withPath(directory, () => {
    const paths = ownPaths(place);
    // guard: the links, while the executable or the kept one cannot be removed
    for (const path of [executable, previous].filter(isThere)) demandMovable(place, path);
    for (const path of paths) rmSync(path, { recursive: path === hidden });
    syncDirectory(directory);
    return paths;
  });
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}
