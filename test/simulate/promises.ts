import type { Makers, Thing } from "../../cli/model/machine.ts";
import { resultOf } from "../../cli/model/plugin.ts";
import { profiles } from "../../plugins/index.ts";
import { addressIn } from "../../shared/attachment/subnet.ts";
import { leaseDirectory } from "../../shared/journal/host-files.ts";
import { type Began, journalDirectory, type Line } from "../../shared/journal/journal.ts";
import { isJsonObject, type JsonObject } from "../../shared/protocol/json.ts";
import { isLeased } from "./effects.ts";
import { secondName } from "./foreign.ts";
import {
  delegateOf,
  hasJournal,
  interfacesOf,
  isLive,
  journalFileOf,
  type Life,
  namespaceOf,
  networkOf,
} from "./life.ts";
import type { Promised } from "./log.ts";
import { type Attachment, type ListedPlugin, netnsOf, portMappingsOf, resultFile } from "./runtime.ts";
import type { Simulation } from "./simulation.ts";

/** The promises that hold between any two events, and after DEL and GC. */
export class Promises {
  readonly #simulation: Pick<Simulation, "machine" | "log" | "lives" | "lists" | "pluginsOf">;
  readonly #busy: ReadonlySet<Life>;
  /** libcni's results when verbs began that run at once. */
  results = new Map<Life, string>();
  /** The containers with journals that wait for what only `prune` removes. */
  readonly #pruned = new Set<string>();
  /** The makers of what a try left: it goes with the last attachment that has such a plugin. */
  readonly #leftByTries = new WeakSet<Makers>();
  /** The makers of interfaces that a try left beside an older result of libcni's that names them: they go with the namespace. */
  readonly #listedBefore = new WeakSet<Makers>();

  /** Of the `busy` attachments, a verb is under way. */
  constructor(simulation: Simulation, busy: ReadonlySet<Life>) {
    this.#simulation = simulation;
    this.#busy = busy;
  }

  /** Everything that is attached has all that it had, and an address of its own. `of` is whose event it was. */
  expectKept(of: string): void {
    const { machine, log, lives } = this.#simulation;
    const owners = new Map<string, string>();
    for (const life of lives.values()) {
      if (!isLive(machine, life) || this.#busy.has(life)) continue;
      this.expectAll(keepingPromise(life, of), life);
      for (const [name, addresses] of Object.entries(life.addresses ?? {})) {
        const here = `${life.key}, ${name}`;
        for (const address of addresses) {
          if (life.isOneClient && this.#addressesOfDhcp(life).includes(address)) continue;
          const other = owners.get(address);
          if (
            other &&
            isOneClient(other, here) &&
            isLeased(machine, "dhcp", { containerId: life.of.container, ifName: name, address })
          )
            continue;
          log.expect("no two interfaces have one address", !other, () => `${address}: ${other} and ${here}`);
          owners.set(address, here);
        }
      }
    }
  }

  /** An attachment has all that its ADD gave it. */
  expectAll(promise: Promised, life: Life): void {
    const { key, effects } = life;
    const isSure = ({ what }: Life["effects"][number]) =>
      !(what.startsWith("port ") && (life.isElsewhere || this.isHalfDeleted(life))) &&
      !(what === "mark" && life.isMarkContested) &&
      !(what.startsWith("lease ") && life.isContested) &&
      !(what.startsWith("limits ") && life.isLimitContested) &&
      // A sibling's ADD failed in another namespace, with another subnet for that interface: host-local frees both leases
      // (docs/behavior.md, Limits).
      !(what.startsWith("lease ") && life.isOneClient && life.isEdited) &&
      !(
        life.isOneClient &&
        /^lease|firewall$/.test(what) &&
        this.#addressesOfDhcp(life).some((one) => what.includes(one))
      );
    const missing = effects.filter((effect) => !effect.holds() && isSure(effect)).map(({ what }) => what);
    this.#simulation.log.expect(promise, missing.length === 0, () => `${key} has no ${missing.join(", no ")}`);
  }

  #addressesOfDhcp(life: Life): string[] {
    const { lists } = this.#simulation;
    const hasDhcp = ({ ipam }: ListedPlugin) => isJsonObject(ipam) && ipam.type === "dhcp";
    const bases = [...lists.values()]
      .flat()
      .filter(hasDhcp)
      .map(({ ipam }) => String((ipam as JsonObject).subnet).replace(/0\/24$/, ""));
    return Object.values(life.addresses ?? {})
      .flat()
      .filter((one) => bases.some((base) => one.startsWith(base)));
  }

  /** Whether a call of a sibling was cut off, perhaps before the ports were published again that it removed as well. */
  isHalfDeleted({ key, of: { container } }: Life): boolean {
    const siblings = [...this.#simulation.lives.values()].filter((one) => one.of.container === container);
    return siblings.some((one) => one.key !== key && one.phase === "tried" && (one.mayFail || !one.hasFailed));
  }

  /** Nothing is left of an attachment, except for what a sibling has, too. In the last DEL, a plugin may have failed. */
  expectGone(promise: Promised, life: Life, hasFailed = false): void {
    const { machine, log, lives } = this.#simulation;
    const others = [...lives.values()].filter(
      (other) => other !== life && (other.phase !== "none" || this.#busy.has(other) || hasJournal(machine, other)),
    );
    const left: Thing[] = [];
    let sharing: Life | undefined;
    // What a sibling shares comes before the journal, which then stays as long.
    const made = machine.things().filter(({ by }) => by.has(life.key));
    for (const thing of made.toSorted((one, other) => Number(isJournal(one)) - Number(isJournal(other)))) {
      const isWaiting = this.#pruned.has(life.of.container) && isJournal(thing);
      const isForPrune = isWaiting || this.#wasListed(thing, life) || this.#isForPrune(thing, life, hasFailed);
      const sibling = isJournal(thing)
        ? (this.#siblingOfRest(thing, life, others) ??
          others.find(({ key }) => thing.by.has(key)) ??
          sharing ??
          this.#siblingOfTry(life, others) ??
          this.#siblingWithUnknown(life, others))
        : this.#siblingWith(thing, life, others);
      if (sibling && !isForPrune) {
        sharing = sibling;
        if (life.phase !== "attached") this.#leftByTries.add(thing.by);
        const plugin = thing.by.get(life.key) ?? "";
        thing.by.delete(life.key);
        if (!thing.by.has(sibling.key)) thing.by.set(sibling.key, plugin);
      } else if (isForPrune) this.#prune(thing, life, others);
      else if (this.#mayBeNeeded(thing, life) || this.#listedBefore.has(thing.by)) thing.remove();
      else left.push(thing);
    }
    log.expect(promise, left.length === 0, () => `${life.key}: ${left.map(({ what }) => what).join("; ")}`);
  }

  /** `prune` removes a thing of an attachment, unless another one made it, too, or needs it. */
  #prune(thing: Thing, life: Life, others: readonly Life[]): void {
    const { key } = life;
    const owner = others.find(({ of }) => thing.what === `file ${journalFileOf(of)}`) ?? life;
    const plugin = thing.by.get(key) ?? "";
    thing.by.delete(key);
    if (isJournal(thing) && (owner === life || owner.phase === "none")) this.#pruned.add(key.replace(/ .*/, ""));
    else if (others.some((other) => thing.by.has(other.key))) return;
    const needing = others.find((other) => this.#needs(other, thing));
    if (needing) thing.by.set(needing.key, plugin);
    else thing.remove();
  }

  /** Nothing is left of any attachment. */
  expectNothing(): void {
    const isWaiting = (thing: Thing) =>
      isJournal(thing) && [...this.#pruned].some((container) => thing.what.includes(`/${container}/`));
    const left = this.#simulation.machine.things().flatMap((thing) => (isWaiting(thing) ? [] : thing.what));
    this.#simulation.log.expect("nothing is left at the end", left.length === 0, () => left.join("; "));
  }

  /** Returns the attachment that made a thing, too, or whose it is: its DEL must remove it. */
  #siblingWith(thing: Thing, life: Life, others: readonly Life[]): Life | undefined {
    const siblings = others.filter(({ of }) => of.container === life.of.container);
    return (
      others.find(({ key }) => thing.by.has(key)) ??
      siblings.find((sibling) => this.#wants(sibling, thing)) ??
      siblings.find((sibling) => this.#needs(sibling, thing)) ??
      siblings.find((sibling) => this.#masquerades(sibling, thing)) ??
      siblings.find(({ of, effects }) => hasMark(effects) && thing.what === `file /var/lib/mark/${of.container}`) ??
      siblings.find((sibling) => this.#mayHaveMade(sibling, thing, life)) ??
      siblings.find((sibling) => this.#hasLeaseOf(sibling, thing, life)) ??
      siblings.find((sibling) => this.#mayHaveLink(sibling, thing, life)) ??
      others.find((other) => this.#hasResultOf(other, thing, life)) ??
      siblings.find(({ of }) => portMappingsOf(of).some(({ hostPort }) => thing.what.includes(` --dport ${hostPort} `)))
    );
  }

  /** Whether it is a rule of a masquerading chain that the attachment has rules in: the last one's DEL removes all. */
  #masquerades({ key, phase }: Life, { what }: Thing): boolean {
    if (phase !== "attached" && / CNI-(?!HOSTPORT|FORWARD|DN-)/.test(what)) return true;
    const [chain] = /CNI-(?!HOSTPORT|FORWARD|DN-)\S+/.exec(what) ?? [];
    const rules = this.#simulation.machine.things().filter(({ by }) => by.has(key));
    return chain !== undefined && rules.some((rule) => rule.what.includes(chain));
  }

  /** The DEL of an unknown creator would free a sibling's lease for an interface of that name, so it waits for that one's. */
  #hasLeaseOf(sibling: Life, { by }: Thing, life: Life): boolean {
    const [own, others] = [life, sibling].map((one) => interfacesOf(this.#simulation.pluginsOf(one), one.of));
    return !((by.get(life.key) ?? "") in profiles) && !!own?.some((name) => others?.includes(name));
  }

  /**
   * As far as a wrapper knows, a sibling's ADD that was cut off may have made an interface. Its DEL removes it. An attachment whose
   * first ADD still runs has its namespace at the path.
   */
  #mayHaveLink(sibling: Life, { what }: Thing, life: Life): boolean {
    const { machine } = this.#simulation;
    const namespace = namespaceOf(machine, life) ?? machine.namespaces.get(netnsOf(life.of));
    const isCutOff = sibling.phase === "tried" && !sibling.hasFailed && sibling.serial === namespace?.serial;
    const [, name = ""] = /^in \S+, link (.*)/.exec(what) ?? [];
    return isCutOff && interfacesOf(this.#simulation.pluginsOf(sibling), sibling.of).includes(name);
  }

  /** What libcni has a result of, and the wrappers no journal, may be a plain attachment: its DEL, which was cut off, comes again. */
  #hasResultOf(other: Life, thing: Thing, life: Life): boolean {
    const { machine } = this.#simulation;
    const text = machine.files.get(resultFile(other.of))?.text;
    if (text === undefined || hasJournal(machine, other)) return false;
    if (other.of.container !== life.of.container || !listsLink(text, thing)) return listsAddress(text, thing);
    this.#listedBefore.add(thing.by);
    return true;
  }

  /**
   * Notes which interfaces of an earlier try a verb leaves to a plain attachment. Returns whether there are such interfaces: they
   * stay after the result of that has gone.
   */
  noteListed(life: Life): boolean {
    const { lives, machine } = this.#simulation;
    const made = machine.things().filter(({ by }) => by.has(life.key));
    for (const other of lives.values())
      for (const thing of other === life || life.phase !== "tried" ? [] : made) this.#hasResultOf(other, thing, life);
    return made.some(({ by }) => this.#listedBefore.has(by));
  }

  /** The same of an attachment whose DEL has passed at the same time. The interface goes with its namespace. */
  #wasListed(thing: Thing, { of }: Life): boolean {
    const others = [...this.results].filter(([one]) => one.of !== of);
    const siblings = others.filter(([one]) => one.of.container === of.container);
    return siblings.some(([, text]) => listsLink(text, thing)) || others.some(([, text]) => listsAddress(text, thing));
  }

  /** What a try left, or may have left, stays until the last attachment with such a plugin is deleted. */
  #mayHaveMade(sibling: Life, { by, what }: Thing, life: Life): boolean {
    const plugin = by.get(life.key) ?? "";
    // By iptables, published ports have a chain for each network.
    const [chain] = /CNI-DN-\S+/.exec(what) ?? [];
    const isIts = (one: ListedPlugin) => chain === undefined || chain === portsChain(one, sibling.of);
    const has = this.#simulation.pluginsOf(sibling).some((one) => delegateOf(one) === plugin && isIts(one));
    // A sibling's next ADD may run, after its namespace was lost.
    const isTriedAgain = this.#busy.has(sibling) && !isLive(this.#simulation.machine, sibling);
    const isTry =
      life.phase !== "attached" ||
      sibling.phase !== "attached" ||
      isTriedAgain ||
      this.#leftByTries.has(by) ||
      this.#hasTryOf(life, plugin);
    return isTry && (has || sibling.isEdited) && ["portmap", "bandwidth", "tuning", "mark"].includes(plugin);
  }

  /** Whether the journal of an attachment still has a try of a plugin that did not pass. The attachment's last ADD may have. */
  #hasTryOf({ of }: Life, plugin: string): boolean {
    const text = this.#simulation.machine.files.get(journalFileOf(of))?.text ?? "";
    return restOf(text).some(({ id, type }) => type === plugin && !text.includes(`{"line":"done","id":"${id}"`));
  }

  /** What an unknown plugin may have left waits for the last attachment that has such a plugin, and the journal waits with it. */
  #siblingWithUnknown(life: Life, others: readonly Life[]): Life | undefined {
    const unknown = (one: Life) =>
      this.#simulation
        .pluginsOf(one)
        .map(delegateOf)
        .filter((type) => !(type in profiles));
    const own = unknown(life);
    const waitsFor = (one: Life) => unknown(one).some((type) => own.includes(type));
    return others.find((one) => one.of.container === life.of.container && waitsFor(one));
  }

  /** The journal of a try waits for a sibling: with one of its plugins, if there is such a one. */
  #siblingOfTry(life: Life, others: readonly Life[]): Life | undefined {
    if (life.phase === "attached") return undefined;
    const siblings = others.filter((other) => other.of.container === life.of.container);
    const typesOf = (one: Life) => this.#simulation.pluginsOf(one).map(delegateOf);
    const own = typesOf(life);
    return siblings.find((one) => typesOf(one).some((type) => own.includes(type))) ?? siblings[0];
  }

  /**
   * What is left in a journal waits for a sibling with the same chained plugins: a try shared their rules with it. Or it waits for
   * the end of an ADD that may get the lease: nothing tells whether a reboot has taken that.
   */
  #siblingOfRest({ what }: Thing, life: Life, others: readonly Life[]): Life | undefined {
    const rest = restOf(this.#simulation.machine.files.get(what.replace("file ", ""))?.text);
    const siblings = others.filter((other) => other.of.container === life.of.container);
    return siblings.find((one) => {
      const own = this.#simulation.pluginsOf(one).map(delegateOf);
      const names = this.#busy.has(one) ? interfacesOf(this.#simulation.pluginsOf(one), one.of) : [];
      const waitsFor = ({ type, role, ifName }: Began) =>
        role === "meta" || !(type in profiles) ? own.includes(type) || one.isEdited : names.includes(ifName);
      return rest.length > 0 && rest.every(waitsFor);
    });
  }

  /** Whether it is a lease for an interface that the attachment wants, too: the last one's DEL frees it. */
  #wants(life: Life, { what }: Thing): boolean {
    const own = interfacesOf(this.#simulation.pluginsOf(life), life.of);
    const [, client = ""] = /^DHCP lease .*\/(.*)/.exec(what) ?? [];
    const path = what.replace("file ", "");
    const [, ifName = ""] = this.#simulation.machine.files.get(path)?.text.split("\r\n") ?? [];
    const isLease = client !== "" || path.startsWith(leaseDirectory);
    return isLease && (life.isEdited || own.includes(client) || own.includes(ifName));
  }

  /** Whether a live attachment would lose something with this rule: a call for another one made it again. */
  #needs(life: Life, { remove, what }: Thing): boolean {
    const { machine } = this.#simulation;
    if (!what.startsWith("rule ") || !isLive(machine, life)) return false;
    const { rules } = machine;
    const held = life.effects.filter(({ holds }) => holds());
    remove();
    const isNeeded = !held.every(({ holds }) => holds());
    machine.rules = rules;
    return isNeeded;
  }

  /** Forgets the rules that an ADD's undo has left to other containers, after firewall's ADD went on. A new ADD may have made its own. */
  forgetNeeded(life: Life): void {
    const made = this.#simulation.machine.things().filter(({ by }) => by.has(life.key));
    for (const thing of life.isOutrun ? made : [])
      if (this.#mayBeNeeded(thing, life) && !this.#needs(life, thing)) thing.remove();
  }

  /**
   * Whether another container has the address of firewall's rule. Its journal cannot tell whether firewall comes next, which would
   * find the rule and make none of its own (plugins/meta/firewall/iptables.go, addRules). So it stays: if that one's ADD
   * runs, and if firewall's ADD went on after a DEL (docs/behavior.md, Limits). The model forgets it, and the next ADD makes it
   * again.
   */
  #mayBeNeeded({ what }: Thing, { of, isOutrun }: Life): boolean {
    const [, address = ""] = /^rule CNI-FORWARD -[ds] ([^/]*)/.exec(what) ?? [];
    const journals = [...this.#simulation.lives.values()]
      .filter((other) => other.of.container !== of.container && (isOutrun || other.isOutrun || this.#busy.has(other)))
      .map((other) => this.#simulation.machine.files.get(journalFileOf(other.of))?.text);
    const isListed = journals.some((text) => text?.includes(`"${address}/`));
    return address !== "" && (isListed || (isOutrun && this.#isLeasedByOther(of.container, address)));
  }

  #isLeasedByOther(container: string, address: string): boolean {
    const { files } = this.#simulation.machine;
    const isLease = (path: string) => path.startsWith(leaseDirectory) && path.endsWith(`/${address}`);
    return [...files].some(([path, { text }]) => isLease(path) && !text.startsWith(`${container}\r\n`));
  }

  /** Whether only `prune` can remove it: its plugin left the front of the list, or left the list and is missing or has failed. */
  #isForPrune({ by }: Thing, life: Life, hasFailed: boolean): boolean {
    const { missing, files } = this.#simulation.machine;
    const { key, isEdited, isOutrun, of } = life;
    const { front, behind } = life.removed;
    const isUnknown = hasFailed || isOutrun;
    const rest = front.length > 0 ? restOf(files.get(journalFileOf(of))?.text) : [];
    const plugins = [
      ...front,
      ...rest.map(({ type }) => type),
      ...behind.filter((plugin) => isUnknown || missing.has(plugin)),
      ...(isEdited ? missing : []),
    ];
    // The wrappers' own files say what is left.
    return plugins.includes(by.get(key) ?? "") || (plugins.length > 0 && by.get(key) === "");
  }
}

/** Whether two interfaces are one client of DHCP, which has one address: they have one name in two namespaces of a container. */
function isOneClient(one: string, other: string): boolean {
  const [[container, ifName], [otherContainer, otherIfName]] = [one, other].map((words) => [
    words.replace(/ .*/, ""),
    words.replace(/.*, /, ""),
  ]) as [string[], string[]];
  return container === otherContainer && ifName === otherIfName;
}

/** The chain of iptables for the ports that a portmap publishes. */
function portsChain(plugin: ListedPlugin, of: Attachment): string {
  return `CNI-DN-${networkOf(plugin, of)}${of.container}`;
}

/** Whether an attachment has a mark, which is the container's. */
function hasMark(effects: Life["effects"]): boolean {
  return effects.some(({ what }) => what === "mark");
}

function isJournal({ what }: Thing): boolean {
  return what.startsWith(`file ${journalDirectory}/`);
}

/** Whether a result of libcni's lists a link, or the first one of twins: one DEL removes both, or none. */
function listsLink(text: string, { what }: Thing): boolean {
  const { interfaces } = resultOf({ prevResult: JSON.parse(text).result });
  return interfaces.some(({ name, sandbox }) =>
    [String(name), secondName(String(name))].some((one) => what === `in ${sandbox}, link ${one}`),
  );
}

/** Whether a result of libcni's lists the address of firewall's rule. */
function listsAddress(text: string, { what }: Thing): boolean {
  const { ips } = resultOf({ prevResult: JSON.parse(text).result });
  return ips.some(({ address }) => new RegExp(`^rule CNI-FORWARD -[ds] ${addressIn(String(address))}/`).test(what));
}

/** The entries of a journal's text that are not undone. */
export function restOf(text = ""): Began[] {
  const lines = linesIn(text);
  const undone = lines.flatMap((line) => (line.line === "undone" ? line.id : []));
  const began = new Map(lines.flatMap((line) => (line.line === "began" ? [[line.id, line]] : [])));
  return [...began.values()].filter(({ id }) => !undone.includes(id));
}

/** The entries of a journal's text that stand: neither undone nor given up. */
export function standingOf(text: string): Began[] {
  const givenUp = linesIn(text).flatMap((line) => (line.line === "given up" ? line.ids : []));
  return restOf(text).filter(({ id }) => !givenUp.includes(id));
}

function linesIn(text: string): Line[] {
  return text.split("\n").flatMap((line): Line[] => (line ? [JSON.parse(line)] : []));
}

function keepingPromise({ key, of: { container } }: Life, of: string): Promised {
  if (of === "" || of === key) return "a live attachment keeps what it has";
  return of.startsWith(`${container} `) ? "a sibling keeps what it has" : "another container keeps what it has";
}
