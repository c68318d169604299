import { existsSync, lstatSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { profiles } from "../../plugins/index.ts";
import { syncDirectory } from "../files/atomic-write.ts";
import { isPluginName } from "../host/plugin-folder.ts";
import { Trouble, withPath } from "../trouble.ts";
import { noteWritten, sha256, writtenVersions } from "./checksums.ts";
import { checkLinks, linkState, ownRelease, type Place } from "./place.ts";
import { type InstalledRelease, releaseAt } from "./release-of.ts";
import { makeLink, putInPlace, rollBack, settle } from "./replace.ts";
import type { Source } from "./source.ts";

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

/** Installs an executable and its links, the links last. `needJq` are lists with `wrapper.jq`: they need the Node flavor. */
export function install(place: Place, source: Source, plugins: string, needJq: readonly string[] = []): Installed {
  const before = ownRelease(place);
  const names = wantedLinks(place, source, plugins);
  checkLinks(place, names);
  settle(place);
  const isSame = before !== undefined && readFileSync(place.executable).equals(source.bytes);
  if (isSame) withPath(place.hidden, () => noteWritten(place, source.bytes, before));
  const release = isSame ? before : putInPlace(place, source.bytes, (fresh) => checkJq(fresh, needJq));
  const newLinks = names.filter((name) => linkState(place, name) !== "made");
  for (const name of newLinks) makeLink(place, name);
  if (newLinks.length > 0) withPath(place.directory, () => syncDirectory(place.directory));
  const is = isSame ? "already installed" : before ? "replaced" : "installed";
  const replaced = isSame ? undefined : before;
  const { executable } = place;
  return { is, executable, release, sha256: sha256(source.bytes), replaced, links: names, newLinks };
}

/** Puts the previous executable back. */
export function installPrevious(place: Place): Installed {
  const replaced = releaseToLeave(place);
  if (replaced && existsSync(place.previous)) checkWritten(place);
  settle(place);
  const release = rollBack(place);
  const { executable } = place;
  const checksum = sha256(withPath(executable, () => readFileSync(executable)));
  return { is: "rolled back", executable, release, sha256: checksum, replaced, links: [], newLinks: [] };
}

// The executable may be broken: a rollback is for that, too.
function releaseToLeave(place: Place): InstalledRelease | undefined {
  const isFile = lstatSync(place.executable, { throwIfNoEntry: false })?.isFile();
  const isBroken = isFile && existsSync(place.previous) && !releaseAt(place.executable);
  return isBroken ? undefined : ownRelease(place);
}

// After a copy by hand the kept version is an older one than the version before the copy.
function checkWritten(place: Place): void {
  if (writtenVersions(place)?.has(sha256(readFileSync(place.executable)))) return;
  throw new Trouble(
    `${place.executable}: install did not write it, so the kept version is not the one before it; install the version that you want with --from`,
  );
}

function checkJq({ flavor }: InstalledRelease, needJq: readonly string[]): void {
  if (flavor === "node" || needJq.length === 0) return;
  throw new Trouble(
    needJq
      .map((list) => `${list}: it has wrapper.jq, and the slim flavor has no jq; install the Node flavor`)
      .join("\n"),
  );
}

function wantedLinks({ directory }: Place, { links }: Source, plugins: string): readonly string[] {
  const known = links ?? Object.keys(profiles).map((plugin) => plugin + ending);
  if (plugins === "all") return known;
  const wanted = plugins.split(",").map((plugin) => plugin.trim());
  for (const plugin of wanted) {
    const isThere = isPluginName(plugin) && existsSync(join(directory, plugin));
    if (!isThere && !known.includes(plugin + ending))
      throw new Trouble(
        `--plugins: there is no plugin ${plugin} in ${directory}, and it is none of ${known.map((name) => name.slice(0, -ending.length)).join(", ")}`,
      );
  }
  return [...new Set(wanted)].map((plugin) => plugin + ending);
}
