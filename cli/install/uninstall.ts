import { lstatSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { syncDirectory } from "../files/atomic-write.ts";
import { withPath } from "../trouble.ts";
import { linkState, type Place } from "./place.ts";

/** Removes every link to the executable, then the executable, the previous one last. Returns the removed paths. */
export function removeAll(place: Place): readonly string[] {
  const { directory, executable, hidden } = place;
  return withPath(directory, () => {
    const isOurs = (name: string) => ["made", "respelled"].includes(linkState(place, name) as string);
    const links = readdirSync(directory).filter(isOurs).sort();
    const paths = [...links.map((name) => join(directory, name)), executable, hidden].filter(isThere);
    for (const path of paths) rmSync(path, { recursive: path === hidden });
    syncDirectory(directory);
    return paths;
  });
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}
