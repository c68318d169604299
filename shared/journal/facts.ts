import type { Host } from "../host/host.ts";
import {
  type CachedResult,
  cachedResultFile,
  type Lease,
  leaseDirectory,
  namespaceMounts,
  parseCachedResult,
  parseLease,
  resultDirectory,
} from "./host-files.ts";
import {
  type AttachmentKey,
  containerDirectory,
  type Entry,
  isSameAttachment,
  isSameNamespace,
  isStanding,
  type Journal,
  journalDirectory,
  journalFile,
  type Moment,
  type Namespace,
  namesOf,
  namespaceOf,
  withoutStrays,
} from "./journal.ts";
import { parseFoundJournal, parseJournal } from "./lines.ts";

/** The seconds since the boot, by a clock that nobody can set; NaN if they cannot be read. */
export function uptimeOf(host: Pick<Host, "readFile">): number {
  return Number.parseFloat(String(host.readFile("/proc/uptime")));
}

type Reader = Pick<Host, "readFile" | "listDirectory" | "stat">;

/**
 * The host's memory of attachments: journals, libcni's results, leases and namespaces. Everything is read when it is first
 * needed, and once in a call. It is a class for the same reason as SlimHost.
 */
export class Facts {
  readonly #host: Reader;
  readonly #read = new Map<string, string | undefined>();
  readonly #listed = new Map<string, readonly string[] | undefined>();
  readonly #journals = new Map<string, Journal>();
  /** The files of all journals that this call has found in their directories. */
  readonly #found = new Set<string>();
  readonly #namespaces = new Map<string, Namespace | undefined>();
  /** The attachment whose journal was asked for last. An undo asks for the same one ten times. */
  #last: Pick<Journal, "key" | "file"> | undefined;
  #moment: Moment | undefined;
  #entered: ReadonlySet<number | undefined> | undefined;

  constructor(host: Reader) {
    this.#host = host;
  }

  /** The boot, and the time since then; undefined if they cannot be read. */
  moment(): Moment | undefined {
    if (this.#moment) return this.#moment;
    const bootId = this.#host.readFile("/proc/sys/kernel/random/boot_id")?.trim();
    const uptime = uptimeOf(this.#host);
    if (!bootId || Number.isNaN(uptime)) return undefined;
    this.#moment = { bootId, uptime };
    return this.#moment;
  }

  /** The network namespace at a path; undefined if there is none. */
  namespace(path: string): Namespace | undefined {
    if (!this.#namespaces.has(path)) this.#namespaces.set(path, namespaceOf(path, this.#host.stat(path)));
    return this.#namespaces.get(path);
  }

  /** The journal of an attachment, which may have no file yet. */
  journal(key: AttachmentKey): Journal {
    if (this.#last?.key !== key) this.#last = { key, file: journalFile(key) };
    const { file } = this.#last;
    const journal = this.#journals.get(file) ?? parseJournal(key, this.read(file), file);
    this.#journals.set(file, journal);
    return journal;
  }

  /** Whether an attachment's journal is there and cannot be read: too many files are open, for example. */
  isUnreadable(key: AttachmentKey): boolean {
    const file = journalFile(key);
    return this.read(file) === undefined && this.#host.stat(file) !== undefined;
  }

  /** Whether an attachment was undone since this call found its journal. Its runtime removes libcni's result next. */
  isUndone(key: AttachmentKey): boolean {
    const file = journalFile(key);
    return this.#found.has(file) && this.read(file) === undefined && !this.isUnreadable(key);
  }

  /** The journals of the container's other attachments. */
  siblings(key: AttachmentKey): readonly Journal[] {
    const own = journalFile(key);
    const files = this.#filesIn(containerDirectory(key.containerId));
    return files.flatMap((file) => (file === own ? [] : (this.journalAt(file) ?? [])));
  }

  /**
   * A path that hides what the container's other attachments have: a journal that cannot be read, or a directory that cannot be
   * listed (a disk error, too many open files).
   */
  unreadableSibling(key: AttachmentKey): string | undefined {
    const own = journalFile(key);
    const directory = containerDirectory(key.containerId);
    const unlisted = [directory, resultDirectory].find((one) => this.#namesIn(one) === undefined);
    if (unlisted !== undefined) return unlisted;
    // An empty file says nothing, and a pipe has no size.
    const hasContent = (file: string) => (this.#host.stat(file)?.size ?? 0) > 0;
    return this.#filesIn(directory).find((file) => file !== own && this.read(file) === undefined && hasContent(file));
  }

  /** All journals of the host. */
  journals(): readonly Journal[] {
    const files = this.#filesIn(journalDirectory).flatMap((directory) => this.#filesIn(directory));
    return files.flatMap((file) => this.journalAt(file) ?? []);
  }

  /** What other containers have in a namespace: the path of a process's leads to theirs once its number is reused. */
  strangers(containerId: string, namespace: Namespace): readonly Entry[] {
    const others = this.journals().filter(({ key }) => key.containerId !== containerId);
    const isThere = (entry: Entry) => isStanding(entry) && entry.bootId === this.moment()?.bootId;
    const entries = others.flatMap((journal) => journal.entries.filter(isThere));
    return entries.filter((entry) => isSameNamespace(entry.namespace, namespace));
  }

  /** The journal in a file; undefined if the file does not say whose it is. */
  journalAt(file: string): Journal | undefined {
    const journal = this.#journals.get(file) ?? parseFoundJournal(file, this.read(file) ?? "");
    if (journal === undefined) return undefined;
    this.#journals.set(file, journal);
    this.#found.add(file);
    return journal;
  }

  /** Notes what this call wrote to a file: it is not read again. `text` is undefined if the file was removed. */
  wrote(file: string, text: string | undefined): void {
    this.#read.set(file, text === undefined ? undefined : `${this.read(file) ?? ""}${text}`);
    this.#journals.delete(file);
  }

  /** Keeps a journal as this call has changed it, so that it is not parsed again. */
  keep(journal: Journal): void {
    this.#journals.set(journal.file, journal);
  }

  /** Reads the container's journals again, because another call may have written to them. One may be kept. */
  forget(containerId: string, kept?: AttachmentKey): void {
    const directory = containerDirectory(containerId);
    const own = kept && journalFile(kept);
    this.#listed.delete(directory);
    for (const file of [...this.#read.keys()]) {
      if (file.startsWith(`${directory}/`) && file !== own) this.#forgetFile(file);
    }
  }

  /** Reads a journal again, because another call has written to it. */
  journalAgain(key: AttachmentKey): Journal {
    this.#forgetFile(journalFile(key));
    return this.journal(key);
  }

  /** libcni's result for an attachment. */
  result(key: AttachmentKey): CachedResult | undefined {
    const file = cachedResultFile(key);
    return parseCachedResult(file, this.read(file));
  }

  /**
   * libcni's results for the container's other attachments. One of an attachment whose journal is of another namespace says
   * nothing about this one, and the journal knows the interfaces of wrapped plugins better, if it can be read.
   */
  otherResults(key: AttachmentKey, namespace: Namespace | undefined): readonly CachedResult[] {
    const others = this.results(key.containerId).filter((one) => !isSameAttachment(one.key, key));
    return others.flatMap((one) => {
      const journal = this.siblings(key).find((sibling) => isSameAttachment(sibling.key, one.key));
      if (this.isUndone(one.key)) return [];
      if (!journal || withoutStrays(journal).length === 0) return [one];
      if (!journal.entries.some((entry) => isSameNamespace(entry.namespace, namespace))) return [];
      const known = journal.entries.flatMap(namesOf);
      return [{ ...one, interfaces: one.interfaces.filter(({ name }) => !known.includes(name)) }];
    });
  }

  /** libcni's results for a container. */
  results(containerId: string): readonly CachedResult[] {
    return this.allResults((name) => name.includes(containerId)).filter((one) => one.key.containerId === containerId);
  }

  /** libcni's results in files whose names are wanted. */
  allResults(isWanted: (name: string) => boolean = () => true): readonly CachedResult[] {
    const files = this.list(resultDirectory).filter(isWanted);
    return files.flatMap((name) => {
      const file = `${resultDirectory}/${name}`;
      return parseCachedResult(file, this.read(file)) ?? [];
    });
  }

  /** host-local's leases in the directory of a network (plugins/ipam/host-local/backend/disk): a file for each address. */
  leases(directory: string, isWanted: (address: string) => boolean = () => true): readonly Lease[] {
    return this.list(directory)
      .filter(isWanted)
      .flatMap((address) => this.#leaseIn(directory, address));
  }

  /** host-local's leases of one address (`172.26.64.2`) in its default `dataDir`, in whatever network, and in other directories. */
  leasesOf(address: string, others: readonly string[]): readonly Lease[] {
    const directories = this.list(leaseDirectory).map((network) => `${leaseDirectory}/${network}`);
    return [...directories, ...others].flatMap((directory) => this.#leaseIn(directory, address));
  }

  /**
   * Whether a namespace is still there, or may be: at its path, at another mount of the host, or because a process runs in it.
   * Where another one has its inode, or a later journal says so, it is gone.
   */
  isThere(namespace: Namespace): boolean {
    const mounts = [namespace.path, ...this.#mountsOf(namespace.inode)].flatMap((path) => this.namespace(path) ?? []);
    const alike = mounts.filter(({ device, inode }) => device === namespace.device && inode === namespace.inode);
    if (alike.length > 0) return alike.some((mount) => isSameNamespace(mount, namespace));
    this.#entered ??= new Set(inodesOfProcesses(this.#host));
    // guard: a namespace in which a process may run that cannot be looked at
    const isEntered = this.#entered.has(namespace.inode) || this.#entered.has(undefined);
    return isEntered && !this.#isReplaced(namespace);
  }

  /** Whether a journal knows a later namespace with the same inode. Only the time since the boot tells which one is later. */
  #isReplaced(namespace: Namespace): boolean {
    const { bootId } = this.moment() ?? {};
    const entries = this.journals().flatMap((journal) => journal.entries.filter((entry) => entry.bootId === bootId));
    const isOwn = (entry: Entry) => isSameNamespace(entry.namespace, namespace);
    const isAlike = (one: Namespace) => one.device === namespace.device && one.inode === namespace.inode;
    const others = entries.filter((entry) => isAlike(entry.namespace));
    const own = entries.filter(isOwn).map(({ uptime }) => uptime);
    // guard: a namespace in which a process runs
    return own.length > 0 && others.some(({ uptime }) => uptime > Math.max(...own));
  }

  // Only the host's own mounts are believed: a container's may show anything.
  #mountsOf(inode: number): string[] {
    const mounts = ["self", "1"].map((process) => this.read(`/proc/${process}/mountinfo`)).join("");
    return namespaceMounts(mounts).flatMap(([id, path]) => (id === `net:[${inode}]` ? [path] : []));
  }

  #filesIn(directory: string): string[] {
    return this.list(directory).map((name) => `${directory}/${name}`);
  }

  #forgetFile(file: string): void {
    this.#read.delete(file);
    this.#journals.delete(file);
  }

  #leaseIn(directory: string, address: string): Lease[] {
    const text = this.read(`${directory}/${address}`);
    const lease = text === undefined ? undefined : parseLease(address, text);
    return lease ? [lease] : [];
  }

  /** The text of a file; undefined if it cannot be read. */
  read(file: string): string | undefined {
    if (!this.#read.has(file)) this.#read.set(file, this.#host.readFile(file));
    return this.#read.get(file);
  }

  /** The names in a directory; none if it cannot be read. */
  list(directory: string): readonly string[] {
    return this.#namesIn(directory) ?? [];
  }

  #namesIn(directory: string): readonly string[] | undefined {
    if (!this.#listed.has(directory)) this.#listed.set(directory, this.#host.listDirectory(directory));
    return this.#listed.get(directory);
  }
}

/** The network namespaces in which processes run; undefined for one that cannot be read, as without CAP_SYS_PTRACE. */
function inodesOfProcesses(host: Reader): readonly (number | undefined)[] {
  const inodeOf = (process: string) => host.stat(`/proc/${process}/ns/net`)?.inode;
  const inodesOf = (process: string) => {
    const inode = inodeOf(process);
    // The first process is the host's own. Another one shows none if its first thread has ended: its other threads do.
    if (inode !== undefined || process === "1") return inode ?? [];
    const threads = (host.listDirectory(`/proc/${process}/task`) ?? []).map((thread) => `${process}/task/${thread}`);
    return threads.flatMap((thread) => inodeOf(thread) ?? (isHidden(host, thread) ? [undefined] : []));
  };
  const processes = (host.listDirectory("/proc") ?? []).filter((name) => /^\d+$/.test(name));
  // With hidepid, they are not even listed, or show nothing. The first one is always there, unless /proc cannot be listed.
  const areHidden = !processes.includes("1") || host.stat("/proc/1/stat") === undefined;
  return areHidden ? [undefined] : processes.flatMap(inodesOf);
}

/** Whether a thread is there that may not be looked at. One that has just ended has left only its network namespace. */
function isHidden(host: Reader, thread: string): boolean {
  return host.stat(`/proc/${thread}/ns/user`) === undefined && host.stat(`/proc/${thread}/ns`) !== undefined;
}
