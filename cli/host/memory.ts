import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { Host } from "../../shared/host/host.ts";
import { readFile, stat } from "../../shared/host/node/files.ts";
import { Facts } from "../../shared/journal/facts.ts";
import { containerDirectory, type Entry, type Journal, journalDirectory } from "../../shared/journal/journal.ts";
import { withPath } from "../trouble.ts";

/** The directory of libcni's results, host-local's leases and the wrappers' journals. */
export const stateDirectory = "/var/lib/cni";

/** A file below the directory of the journals: a journal, or what 0.2.0 left. */
export interface MemoryFile {
  readonly file: string;
  readonly network: string;
  readonly containerId: string;
  readonly runtimeIfName: string;
  /** Undefined for a record of 0.2.0. */
  readonly journal: Journal | undefined;
}

/**
 * What a host remembers of its attachments, read as the wrappers read it, and once. `directory` takes the place of
 * /var/lib/cni. Throws Trouble if a directory cannot be listed.
 */
export class Memory extends Facts {
  readonly #list: Host["listDirectory"];

  constructor(directory = stateDirectory) {
    const at = (path: string) =>
      path.startsWith(`${stateDirectory}/`) ? join(directory, path.slice(stateDirectory.length)) : path;
    const list = (path: string) => namesIn(at(path));
    super({ readFile: (path) => readFile(at(path)), listDirectory: list, stat: (path) => stat(at(path)) });
    this.#list = list;
  }

  /** What the wrappers have written. `leaveOut` gets each file that does not say whose it is. */
  files(leaveOut: (file: string) => void = () => {}): readonly MemoryFile[] {
    return this.#list(journalDirectory).flatMap((name) => {
      const path = join(journalDirectory, name);
      const old = oldRecord(path, name);
      if (old) return [old];
      return this.#list(path).flatMap((file) => {
        const journal = this.journalAt(join(path, file));
        if (!journal) leaveOut(join(path, file));
        return journal ? [{ file: journal.file, ...journal.key, journal }] : [];
      });
    });
  }

  /** Whether the wrappers remember anything of a container. */
  knows(containerId: string): boolean {
    if (this.#list(containerDirectory(containerId)).length > 0) return true;
    return this.#list(journalDirectory).some((name) => name.includes(`:${containerId}:`));
  }
}

/** The entries of journals that are not undone. */
export function entriesIn(journals: readonly Journal[]): readonly Entry[] {
  return journals.flatMap(({ entries }) => entries.filter(({ isUndone }) => !isUndone));
}

/** A record of 0.2.0 is a file whose name has all names, separated by colons. An unfinished one begins with a dot. */
function oldRecord(file: string, name: string): MemoryFile | undefined {
  const [network, containerId, runtimeIfName, ...rest] = name.replace(/^\./, "").split(":");
  if (!network || !containerId || !runtimeIfName || rest.length === 0) return undefined;
  return { file, network, containerId, runtimeIfName, journal: undefined };
}

/** The names in a directory, none if there is no directory. A container may end at any time, and its directory with it. */
function namesIn(directory: string): readonly string[] {
  return withPath(directory, () => {
    try {
      return readdirSync(directory);
    } catch (error) {
      if (["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "")) return [];
      throw error;
    }
  });
}
