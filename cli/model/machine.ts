/** The attachments whose calls made a thing, each with the plugin that made it. Only the promises look at it: no plugin can. */
export type Makers = Map<string, string>;

/** A file. Those below `/run` and `/var/run` do not outlive a boot. */
export interface File {
  readonly text: string;
  readonly inode: number;
  readonly modifiedMs: number;
  readonly by: Makers;
}

/** A route of a link, in the main table unless the list says another one, or a plugin moved it. */
export interface Route {
  readonly dst: string;
  readonly gw: string | undefined;
  /** Set by the system with the address. */
  readonly isConnected?: true;
  /** The number of another table, or the address whose own table has it. */
  readonly table?: string;
  /** Two routes with different ones are two. */
  readonly priority?: number;
}

/** A link in a container's namespace. Its other end, if it has one, is on the host and goes with it. */
export interface Link {
  readonly index: number;
  /** Such as `veth` and `macvlan`. */
  readonly kind: string;
  mac: string;
  readonly hostEnd: string | undefined;
  readonly hostMac: string;
  /** The bridge that its host end is a port of. */
  bridge: string | undefined;
  routes: Route[];
  addresses: readonly string[];
  /** MTU, promiscuous mode. */
  readonly attributes: Map<string, number | string>;
  /** The device that shapes the traffic of its host end. If it is gone, nothing passes. */
  shaper: Device | undefined;
  readonly by: Makers;
}

/** A bridge of the host. Nobody removes it before the next boot. */
export interface Bridge {
  addresses: readonly string[];
  isPromiscuous: boolean;
  /** Set with the address. Without it, the bridge has the lowest MAC of its ports. */
  fixedMac: string | undefined;
  readonly firstMac: string;
}

/** A device of the host. */
export interface Device {
  readonly by: Makers;
}

/** A network namespace. Another one may get its inode when it is gone. */
export interface Namespace {
  readonly inode: number;
  /** No other namespace ever has this number. */
  readonly serial: number;
  /** When its path was made, by the wall clock. */
  readonly madeMs: number;
  readonly links: Map<string, Link>;
  isUp: boolean; // its own `lo`
  /** The kernel gives no index again (net/core/dev.c, dev_index_reserve). */
  lastIndex: number;
  /** The addresses that have a routing table of their own. */
  readonly sources: Map<string, Makers>;
}

/** A packet rule of the host. */
export interface Rule {
  readonly chain: string;
  readonly text: string;
  /** nftables' comment, by which plugins find their rules. */
  readonly comment: string;
  readonly by: Makers;
}

/** A thing that plugins or wrappers made, in words. */
export interface Thing {
  readonly what: string;
  readonly by: Makers;
  readonly remove: () => void;
}

/** The model of a host: a disk that outlives a boot; namespaces, packet rules and daemons that do not. */
export class Machine {
  readonly files = new Map<string, File>();
  readonly namespaces = new Map<string, Namespace>();
  readonly devices = new Map<string, Device>();
  readonly bridges = new Map<string, Bridge>();
  /** The host's network cards; undefined if it has every card that a list names. */
  cards: readonly string[] | undefined;
  /** The card with the default route. */
  defaultDevice: string | undefined = "ens18";
  /** The cards that are in a container. */
  readonly lent = new Map<string, Namespace>();
  readonly chains = new Set<string>();
  rules: Rule[] = [];
  /** The wall clock, which may jump, and the time since the boot, which may not. In milliseconds. */
  now = Date.UTC(2030, 0, 1);
  uptime = 60_000;
  boot = 1;
  /** No two networks give out one address: an operator who renames an interface sees to that. */
  isOnePool = false;
  hasEqualRoutes = false; // Two links of ptp may have one subnet: the simulation's lists share pools.
  /** The attachment whose call is running, and the plugin, if one is running. */
  maker = "";
  plugin = "";
  #freeInodes = [4026531840];
  #serials = 0;
  #veths = 0;

  /** Lets time pass. */
  wait(ms: number): void {
    this.now += ms;
    this.uptime += ms;
  }

  /** The makers of a thing that is made now. */
  makers(): Makers {
    return new Map([[this.maker, this.plugin]]);
  }

  addNamespace(path: string): Namespace {
    const inode = this.#freeInodes.pop() ?? 0;
    if (this.#freeInodes.length === 0) this.#freeInodes.push(inode + 1);
    const namespace = {
      inode,
      serial: ++this.#serials,
      madeMs: this.now,
      links: new Map(),
      isUp: false,
      lastIndex: 1,
      sources: new Map(),
    };
    this.namespaces.set(path, namespace);
    return namespace;
  }

  removeNamespace(path: string): void {
    const namespace = this.namespaces.get(path);
    this.namespaces.delete(path);
    if (namespace) this.free(namespace);
  }

  protected free({ inode }: Namespace): void {
    this.#freeInodes.push(inode);
  }

  namespaceAt(path: string): Namespace | undefined {
    return this.namespaces.get(path);
  }

  allNamespaces(): Namespace[] {
    return [...this.namespaces.values()];
  }

  addLink(namespace: Namespace, name: string, kind: string): Link {
    const { links } = namespace;
    const index = ++namespace.lastIndex;
    const hostEnd = kind === "veth" ? `veth${String(++this.#veths).padStart(8, "0")}` : undefined;
    const attributes: Link["attributes"] = new Map([
      ["mtu", 1500],
      ["txQLen", 1000],
    ]);
    const own = { addresses: [], routes: [], attributes, shaper: undefined, bridge: undefined };
    const link = { index, kind, hostEnd, mac: this.#newMac(), hostMac: this.#newMac(), ...own, by: this.makers() };
    links.set(name, link);
    return link;
  }

  /** Each MAC is lower than those before, so that what can change by chance does change. */
  #newMac(): string {
    const digits = (0xffffff - ++this.#serials).toString(16).padStart(6, "0");
    return `02:00:00:${digits.slice(0, 2)}:${digits.slice(2, 4)}:${digits.slice(4)}`;
  }

  addBridge(name: string): Bridge {
    const bridge = { addresses: [], isPromiscuous: false, fixedMac: undefined, firstMac: this.#newMac() };
    this.bridges.set(name, bridge);
    return bridge;
  }

  macOf(name: string): string | undefined {
    const bridge = this.bridges.get(name);
    if (bridge?.fixedMac) return bridge.fixedMac;
    const macs = this.#hostEnds()
      .filter((link) => link.bridge === name)
      .map(({ hostMac }) => hostMac);
    return macs.toSorted()[0] ?? bridge?.firstMac;
  }

  #hostEnds(): Link[] {
    return this.allNamespaces()
      .flatMap(({ links }) => [...links.values()])
      .filter(({ hostEnd }) => hostEnd !== undefined);
  }

  /** The link whose host end has this name. */
  vethOf(name: unknown): Link | undefined {
    return this.#hostEnds().find(({ hostEnd }) => hostEnd === name);
  }

  isCard(name: string): boolean {
    if (this.lent.has(name)) return false;
    return this.cards?.includes(name) ?? !(this.bridges.has(name) || this.devices.has(name));
  }

  addDevice(name: string): Device {
    const device = { by: this.makers() };
    this.devices.set(name, device);
    return device;
  }

  /** Writes a file, which may stay for good or must go with the attachment that made it. */
  writeFile(path: string, text: string, mayStay = false): undefined {
    const { by: before, inode = ++this.#serials } = this.files.get(path) ?? {};
    const by = new Map(before);
    if (!mayStay) by.set(this.maker, this.plugin);
    this.files.set(path, { text, inode, modifiedMs: this.now, by });
  }

  appendFile(path: string, text: string, mayStay = false): undefined {
    return this.writeFile(path, `${this.files.get(path)?.text ?? ""}${text}`, mayStay);
  }

  /** Returns the names in a directory. */
  list(directory: string): string[] {
    const within = `${directory}/`;
    const names = new Set<string>();
    for (const path of this.files.keys()) {
      if (path.startsWith(within)) names.add(path.slice(within.length).replace(/\/.*/, ""));
    }
    return [...names];
  }

  append(chain: string, text: string, comment = ""): void {
    this.rules.push({ chain, text, comment, by: this.makers() });
  }

  hasRule(chain: string, text: string): boolean {
    return this.rules.some((rule) => rule.chain === chain && rule.text === text);
  }

  /** Appends a rule that the chain does not have yet. */
  appendUnique(chain: string, text: string): void {
    const same = this.rules.find((rule) => rule.chain === chain && rule.text === text);
    if (same) same.by.set(this.maker, this.plugin);
    else this.append(chain, text);
  }

  removeRules(isMeant: (rule: Rule) => boolean): void {
    this.rules = this.rules.filter((rule) => !isMeant(rule));
  }

  /** Clears and deletes a chain. Returns false, with the chain cleared, if a rule still jumps to it. */
  deleteChain(chain: string): boolean {
    this.removeRules((rule) => rule.chain === chain);
    if (this.rules.some(({ text }) => text.endsWith(` -j ${chain}`))) return false;
    this.chains.delete(chain);
    return true;
  }

  /** The power is gone, and the host boots again. */
  reboot(): void {
    for (const path of [...this.namespaces.keys()]) this.removeNamespace(path);
    for (const path of [...this.files.keys()]) if (/^(\/var)?\/run\//.test(path)) this.files.delete(path);
    for (const kept of [this.devices, this.chains, this.bridges, this.lent]) kept.clear();
    this.rules = [];
    this.boot++;
    this.now += 60_000;
    this.uptime = 60_000;
  }

  /** Returns everything that was made and is still there. */
  things(): Thing[] {
    const things: Thing[] = [];
    const addAll = (what: string, map: Map<string, { by: Makers }>) => {
      for (const [name, { by }] of map) {
        if (by.size > 0) things.push({ what: `${what} ${name}`, by, remove: () => map.delete(name) });
      }
    };
    addAll("file", this.files);
    addAll("device", this.devices);
    for (const [path, { links, sources }] of this.namespaces) {
      addAll(`in ${path}, link`, links);
      for (const [address, by] of sources) {
        things.push({ what: `in ${path}, rule for ${address}`, by, remove: () => sources.delete(address) });
      }
    }
    for (const rule of this.rules) {
      const remove = () => this.removeRules((one) => one === rule);
      things.push({ what: `rule ${rule.chain} ${rule.text}`, by: rule.by, remove });
    }
    return things;
  }
}
