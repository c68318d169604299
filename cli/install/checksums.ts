import { createHash } from "node:crypto";
import { renameSync } from "node:fs";
import { join } from "node:path";
import { readFile } from "../../shared/host/node/files.ts";
import { writeDurably } from "../files/atomic-write.ts";
import { makeHidden, ownMark, type Place } from "./place.ts";
import type { InstalledRelease } from "./release-of.ts";

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
