import { existsSync, lstatSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { Trouble } from "../trouble.ts";
import { sha256, writtenVersions } from "./checksums.ts";
import type { Place } from "./place.ts";
import { type InstalledRelease, releaseAt } from "./release-of.ts";

/**
 * Returns the release that is installed; undefined if there is none. Throws Trouble if the installation belongs to a package, or
 * if something else has the executable's name.
 */
export function ownRelease(place: Place): InstalledRelease | undefined {
  const { directory, executable, hidden } = place;
  const owner = join(hidden, "owner");
  if (existsSync(owner)) throw new Trouble(`${directory}: ${readFileSync(owner, "utf8").trim()}`);
  const found = lstatSync(executable, { throwIfNoEntry: false });
  if (!found) return undefined;
  if (found.isSymbolicLink())
    throw new Trouble(`${executable}: it is a link to ${readlinkSync(executable)}; name that directory with --dir`);
  if (found.isFile() && (found.mode & 0o111) === 0 && writtenVersions(place)?.has(sha256(readFileSync(executable))))
    throw new Trouble(`${executable}: it is not executable; run: chmod 755 ${executable}`);
  const release = releaseAt(executable);
  if (!release) throw new Trouble(`${executable}: it does not answer as cni-wrappers does; move it away first`);
  return release;
}
