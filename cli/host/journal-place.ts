import { accessSync, constants, existsSync, statfsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { journalDirectory } from "../../shared/journal/journal.ts";
import { reasonOf } from "../terminal.ts";

/** Says why the wrappers cannot write journals; undefined if they can. They make the directory if it is not there. */
export function journalProblem(directory = journalDirectory): string | undefined {
  if (!existsSync(directory)) return journalProblem(dirname(directory));
  if (!statSync(directory).isDirectory()) return `${directory}: is not a directory`;
  try {
    accessSync(directory, constants.W_OK | constants.X_OK);
    return isFull(directory) ? `${directory}: no space is left on the file system` : undefined;
  } catch (error) {
    return `${directory}: ${reasonOf(error as NodeJS.ErrnoException)}`;
  }
}

/** Some file systems, such as btrfs, count no files. */
function isFull(directory: string): boolean {
  const { bsize, bfree, files, ffree } = statfsSync(directory);
  return bsize * bfree < neededBytes || (files > 0 && ffree === 0);
}

/** A journal, a result and a lease are smaller. */
const neededBytes = 64 * 1024;
