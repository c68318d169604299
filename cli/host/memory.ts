import { join } from "node:path";
import { listDirectory, readFile, stat } from "../../shared/host/node/files.ts";
import { Facts } from "../../shared/journal/facts.ts";
import { containerDirectory, type Entry, type Journal, journalDirectory } from "../../shared/journal/journal.ts";

/** The directory of libcni's results, host-local's leases and the wrappers' journals. */
export const stateDirectory = "/var/lib/cni";

/** What this host remembers of its attachments, read as the wrappers read it. `directory` takes the place of /var/lib/cni. */
export function memoryIn(directory = stateDirectory): Facts {
  const at = (path: string) =>
    path.startsWith(`${stateDirectory}/`) ? join(directory, path.slice(stateDirectory.length)) : path;
  return new Facts({
    readFile: (path) => readFile(at(path)),
    listDirectory: (path) => listDirectory(at(path)),
    stat: (path) => stat(at(path)),
  });
}

/** The entries of journals that are not undone. */
export function entriesIn(journals: readonly Journal[]): readonly Entry[] {
  return journals.flatMap(({ entries }) => entries.filter(({ isUndone }) => !isUndone));
}

/** A file below the directory of the journals: a journal, or what 0.2.0 left. */
export interface MemoryFile {
  readonly file: string;
  readonly network: string;
  readonly containerId: string;
  readonly runtimeIfName: string;
  /** Undefined for a record of 0.2.0. */
  readonly journal: Journal | undefined;
}

/** Lists what the wrappers remember. `leaveOut` gets each file that does not say whose it is. */
export function memoryFiles(memory: Facts, leaveOut: (file: string) => void = () => {}): readonly MemoryFile[] {
  return listDirectory(journalDirectory).flatMap((name) => {
    const path = join(journalDirectory, name);
    const old = oldRecord(path, name);
    if (old) return [old];
    return listDirectory(path).flatMap((file) => {
      const journal = memory.journalAt(join(path, file));
      if (!journal) leaveOut(join(path, file));
      return journal ? [{ file: journal.file, ...journal.key, journal }] : [];
    });
  });
}

/** A record of 0.2.0 is a file whose name has all names, separated by colons. An unfinished one begins with a dot. */
function oldRecord(file: string, name: string): MemoryFile | undefined {
  const [network, containerId, runtimeIfName, ...rest] = name.replace(/^\./, "").split(":");
  if (!network || !containerId || !runtimeIfName || rest.length === 0) return undefined;
  return { file, network, containerId, runtimeIfName, journal: undefined };
}

/** Whether the wrappers remember anything of a container. */
export function isRemembered(containerId: string): boolean {
  if (listDirectory(containerDirectory(containerId)).length > 0) return true;
  return listDirectory(journalDirectory).some((name) => name.includes(`:${containerId}:`));
}
