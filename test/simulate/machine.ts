/** A link in a container's namespace. */
export interface Link {
  readonly index: number;
  readonly addresses: readonly string[];
}

/** A network namespace: its inode and its links by name. */
export interface Namespace {
  readonly inode: number;
  /** No other namespace ever has this number. */
  readonly serial: number;
  readonly links: Map<string, Link>;
}

/** A file on the disk. */
export interface File {
  readonly text: string;
  readonly modifiedMs: number;
}

/** The model of a host: a disk that outlives a boot, and namespaces that do not. */
export class Machine {
  readonly files = new Map<string, File>();
  readonly namespaces = new Map<string, Namespace>();
  /** The addresses that the packet rules let through. Each has one rule, whoever has it. */
  readonly rules = new Set<string>();
  now = Date.UTC(2030, 0, 1);
  boot = 1;
  #freeInodes = [4026531840];
  #serials = 0;

  /** Another namespace may have had this inode before, and its links the same indexes. */
  addNamespace(path: string): void {
    const inode = this.#freeInodes.pop() ?? 0;
    if (this.#freeInodes.length === 0) this.#freeInodes.push(inode + 1);
    this.namespaces.set(path, { inode, serial: ++this.#serials, links: new Map() });
  }

  removeNamespace(path: string): void {
    const namespace = this.namespaces.get(path);
    if (namespace) this.#freeInodes.push(namespace.inode);
    this.namespaces.delete(path);
  }

  addLink({ links }: Namespace, name: string): void {
    const index = Math.max(1, ...[...links.values()].map((link) => link.index)) + 1;
    links.set(name, { index, addresses: [] });
  }

  writeFile(path: string, text: string): void {
    this.files.set(path, { text, modifiedMs: this.now });
  }

  /** The names of the files and directories in a directory. */
  list(directory: string): string[] {
    const within = `${directory}/`;
    const names = new Set<string>();
    for (const path of this.files.keys()) {
      if (path.startsWith(within)) names.add(path.slice(within.length).replace(/\/.*/, ""));
    }
    return [...names];
  }

  /** The power is gone, and the host boots again. */
  reboot(): void {
    for (const path of [...this.namespaces.keys()]) this.removeNamespace(path);
    this.rules.clear();
    this.boot++;
    this.now += 60_000;
  }
}
