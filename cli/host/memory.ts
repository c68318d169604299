import { lstatSync, readdirSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { attempt, stat } from "../../shared/host/node/files.ts";
import { Facts } from "../../shared/journal/facts.ts";
import { leaseDirectory, resultDirectory } from "../../shared/journal/host-files.ts";
import {
  type AttachmentKey,
  containerDirectory,
  type Entry,
  type Journal,
  journalDirectory,
} from "../../shared/journal/journal.ts";
import { listed, longestReport, readInput } from "../files/read-input.ts";
import { Trouble, withPath } from "../terminal.ts";

/** The directory of libcni's results, host-local's leases and the wrappers' journals. A host that never had a container has none. */
export const stateDirectory = "/var/lib/cni";

/** Gets a file that cannot be used, with the reason. */
export type LeaveOut = (file: string, reason: string) => void;

/** A file below the directory of the journals: a journal, or what 0.2.0 left. */
export interface MemoryFile extends AttachmentKey {
  readonly file: string;
  readonly text: string;
  /** Undefined for a record of 0.2.0. */
  readonly journal: Journal | undefined;
}

/**
 * What a host remembers of its attachments, each file read once, in the way the wrappers read it. `directory` replaces
 * /var/lib/cni. Throws Trouble if a directory cannot be listed.
 */
export class Memory extends Facts {
  readonly #isThere: (path: string) => boolean;

  constructor(directory = stateDirectory) {
    const at = (path: string) =>
      path.startsWith(`${stateDirectory}/`) ? join(directory, path.slice(stateDirectory.length)) : path;
    super({
      readFile: (path) => attempt(() => readInput(path, at(path), longestReport).toString()),
      // A container may end at any time, and its directory with it.
      listDirectory: (path) => listed(at(path), !roots.includes(path)),
      stat: (path) => stat(at(path)),
    });
    this.#isThere = (path) => lstatSync(at(path), { throwIfNoEntry: false }) !== undefined;
  }

  /** What the wrappers have written. `leaveOut` gets each file that cannot be read, or not as a whole. */
  files(leaveOut: LeaveOut = () => {}): readonly MemoryFile[] {
    return this.list(journalDirectory).flatMap((name): readonly MemoryFile[] => {
      const path = join(journalDirectory, name);
      const key = keyOfRecord(name);
      if (key) return [{ file: path, text: this.read(path) ?? "", ...key, journal: undefined }];
      return this.list(path).flatMap((inner) => {
        const file = join(path, inner);
        const [text, journal] = [this.read(file), this.journalAt(file)];
        const problem = journal ? journal.problem : this.#whyNone(file, text);
        if (problem !== undefined) leaveOut(file, problem);
        return text !== undefined && journal ? [{ file, text, ...journal.key, journal }] : [];
      });
    });
  }

  /** The directories of networks in which host-local keeps leases, below these directories. */
  leaseFolders(directories: readonly string[]): readonly string[] {
    return directories.flatMap((directory) => this.list(directory).map((network) => join(directory, network)));
  }

  /** Says why no journal could be read from a file; undefined if that is no fault. */
  #whyNone(file: string, text: string | undefined): string | undefined {
    if (text === undefined) return this.#isThere(file) ? "it cannot be read" : undefined;
    // Without a whole line there is nothing in it: a full disk or a power loss left it.
    return text.includes("\n") ? "it does not say whose it is" : undefined;
  }

  /** Whether the wrappers remember anything of a container. */
  knows(containerId: string): boolean {
    if (this.list(containerDirectory(containerId)).length > 0) return true;
    return this.list(journalDirectory).some((name) => name.includes(`:${containerId}:`));
  }
}

/** Names an attachment. A colon is in none of its names. */
export function keyOf({ network, containerId, runtimeIfName }: AttachmentKey): string {
  return `${network}:${containerId}:${runtimeIfName}`;
}

/** The entries of journals that are not undone. */
export function entriesIn(journals: readonly Journal[]): readonly Entry[] {
  return journals.flatMap(({ entries }) => entries.filter(({ isUndone }) => !isUndone));
}

/** A record of 0.2.0 is a file whose name has all names, separated by colons. An unfinished one begins with a dot. */
function keyOfRecord(name: string): AttachmentKey | undefined {
  const [network, containerId, runtimeIfName, ...rest] = name.replace(/^\./, "").split(":");
  return network && containerId && runtimeIfName && rest.length > 0
    ? { network, containerId, runtimeIfName }
    : undefined;
}

/** Directories that must be listable: a file in place of one would hide everything. Below them, other programs may have files. */
const roots: readonly string[] = [journalDirectory, resultDirectory, leaseDirectory];

/** What wrappers and host-local remember on a host. */
export type State = Readonly<ReturnType<typeof readState>>;

/**
 * Reads a directory like /var/lib/cni: `wrappers` has the journals, `networks` has host-local's leases. Returns the entries of the
 * wrapped interface plugins, the leases, each with the network under whose name it lies, and which journals cannot be read and why.
 */
export function readState(path: string, directory: string) {
  const root = resolve(directory, path);
  const names = withPath(path, () => readdirSync(root));
  const isOther = names.length > 0 && !names.some((name) => ["wrappers", "networks", "results"].includes(name));
  if (root !== stateDirectory && isOther)
    throw new Trouble(`${path}: it has no wrappers, networks or results, as ${stateDirectory} has`);
  const memory = new Memory(root);
  const leases = memory.leaseFolders([leaseDirectory]).flatMap((folder) => {
    return memory.leases(folder).map((lease) => ({ network: basename(folder), ...lease }));
  });
  const unreadable: string[] = [];
  const leaveOut = (file: string, why: string) => void unreadable.push(`${file.replace(stateDirectory, path)}: ${why}`);
  const journals = memory.files(leaveOut).flatMap(({ journal }) => journal ?? []);
  return { entries: entriesIn(journals).filter(({ role }) => role === "creator"), leases, unreadable };
}
