import type { JsonObject } from "../../shared/protocol/json.ts";
import { isLeasedByOther } from "./effects.ts";
import { type Event, type Fault, lineOf, type VerbEvent } from "./event.ts";
import {
  addressesIn,
  chosenInterfaces,
  delegateOf,
  effectsOf,
  forget,
  hasJournal,
  interfacesOf,
  isInPlace,
  isLive,
  isOld,
  isUntouched,
  journalFileOf,
  type Life,
  mustPass,
  namespaceOf,
  networkOf,
  newLife,
  noteRemoved,
} from "./life.ts";
import { isPlain, type Lists, removed, renamed, unwrapped, wrapped } from "./lists.ts";
import { Log } from "./log.ts";
import type { PluginEnd, Sabotage, Stops, Task } from "./process.ts";
import { Promises, restOf, standingOf } from "./promises.ts";
import { netnsOf, Runtime, resultFile, type Verb, VerbFailed } from "./runtime.ts";
import { SimulatedMachine } from "./simulated-machine.ts";

/** How a verb ended. Without a problem it passed. */
interface Outcome<T> {
  readonly value?: T;
  readonly problem?: string;
  /** Something happened in the middle of it, so that it may fail. */
  readonly isStruck?: boolean;
  /** Its runtime was killed, and the next one has run a verb for this attachment since. */
  readonly isOutrun?: boolean;
  /** A wrapper of it has passed. */
  readonly hasPassed?: boolean;
}

/** What is known before ADD. */
interface Begun {
  readonly plugins: Lists[string];
  readonly boot: number;
  readonly serial: number;
  readonly inode: number;
  readonly must: boolean;
  /** No sibling has begun something that it has not ended, and that may be about the same interface. */
  readonly isFree: boolean;
  readonly wasLive: boolean;
  /** Only libcni has something of it, so that it may be a plain attachment. If ADD is cut off, only DEL removes what it left. */
  readonly isUnknown: boolean;
}

/** A host, its runtimes and their lists. After each event, every promise holds. */
export class Simulation {
  readonly log = new Log();
  readonly machine = new SimulatedMachine();
  readonly lives = new Map<string, Life>();
  readonly lists: Map<string, Lists[string]>;
  readonly #promises: Promises;
  readonly #sabotage: Sabotage;
  readonly #forgives: boolean;
  /** Where the last task stopped. */
  #point = "";
  readonly #edited = new Set<string>();
  /** The attachments whose verbs are under way. */
  readonly #busy = new Set<Life>();
  /** The attachments whose call goes on after its runtime was killed. */
  readonly #orphans = new Set<Life>();

  /** With `forgives`, an ADD after the end of its namespace may fail, as it does today. */
  constructor(lists: Lists, { sabotage = {}, forgives = false }: { sabotage?: Sabotage; forgives?: boolean } = {}) {
    this.lists = new Map(Object.entries(lists));
    this.#sabotage = sabotage;
    this.#forgives = forgives;
    this.#promises = new Promises(this, this.#busy);
  }

  /** Throws `Broken` if a promise is broken. An event that cannot happen now does nothing. */
  apply(event: Event): void {
    this.log.note(lineOf(event), event.do);
    this.#happen(event);
    this.#promises.expectKept("of" in event ? event.of : "");
    this.machine.wait(1000);
  }

  /** Removes all attachments. Nothing may be left. */
  finish(): void {
    this.machine.missing.clear();
    for (const { key, phase } of this.lives.values()) if (phase !== "none") this.apply({ do: "DEL", of: key });
    this.#promises.expectNothing();
  }

  #happen(event: Event): void {
    const { machine } = this;
    switch (event.do) {
      case "ADD":
        this.#add(event);
        break;
      case "DEL":
        this.#del(event);
        break;
      case "CHECK":
        this.#check(this.#life(event.of), event.loses);
        break;
      case "GC":
        this.#collect(event.list, event.by === "another");
        break;
      case "together":
        this.#together(event.verbs, event.turns);
        break;
      case "rename":
      case "remove from the list":
        this.#edit(event);
        break;
      case "unwrap":
      case "wrap":
        this.lists.set(event.list, (event.do === "wrap" ? wrapped : unwrapped)(this.lists.get(event.list) ?? []));
        break;
      case "uninstall":
        machine.missing.add(event.plugin);
        break;
      case "install":
        machine.missing.delete(event.plugin);
        break;
      case "set the clock":
        machine.now += event.minutes * 60_000;
        break;
      case "wait":
        machine.wait(event.minutes * 60_000);
        break;
      case "reboot":
        machine.reboot();
        break;
      case "lose the namespace":
        this.#lose(event.container, event.task);
        break;
      default:
        event satisfies never;
    }
  }

  #life(key: string): Life {
    const life = this.lives.get(key) ?? newLife(key);
    this.lives.set(key, life);
    return life;
  }

  #ofContainer(container: string): Life[] {
    return [...this.lives.values()].filter(({ of }) => of.container === container);
  }

  /** Returns the list of an attachment as it is now. */
  pluginsOf({ of }: Life): Lists[string] {
    return this.lists.get(of.list) ?? [];
  }

  #add({ of, fault }: VerbEvent): void {
    const life = this.#life(of);
    // An operator edits no list while its attachments get another ADD.
    if (this.#busy.has(life) || (life.isEdited && isLive(this.machine, life)) || this.#isBesideUnknown(life)) return;
    const begun = this.#beginAdd(life);
    const outcome = this.#drive(life, fault, (runtime, verb) => runtime.add(verb));
    // macvlan leaves nothing, and its DEL would remove a sibling's interface of that name.
    if (isPlain(begun.plugins) && life.phase === "none" && outcome.problem) return;
    if (!outcome.isOutrun) this.#endAdd(life, begun, outcome);
    this.#promises.forgetNeeded(life);
    // A wrapper tries once more with other addresses.
    const isTry = outcome.problem && outcome.isStruck && life.phase === "tried";
    if (isTry && fault?.do === "fail the plugin") life.addresses = undefined;
  }

  /**
   * Whether a list is plain, and a call of a sibling runs that has an unknown plugin for one of its interfaces. Nothing says that the
   * list makes it now, and that plugin's DEL needs the namespace (docs/behavior.md, Limits).
   */
  #isBesideUnknown(life: Life): boolean {
    const isUnknown = (plugin: Lists[string][number]) => ["twin", "flannel"].includes(delegateOf(plugin));
    if (!isPlain(this.pluginsOf(life))) return false;
    return this.#runningBeside(life).some((other) => this.#share(life, other) && this.pluginsOf(other).some(isUnknown));
  }

  /** The attachments of its container that have a call under way, or one that goes on without its runtime. */
  #runningBeside(life: Life): Life[] {
    const siblings = this.#ofContainer(life.of.container).filter((other) => other !== life);
    return siblings.filter((other) => this.#busy.has(other) || this.#orphans.has(other));
  }

  /** Makes the namespace if needed. Returns what is known before ADD. */
  #beginAdd(life: Life): Begun {
    const { machine } = this;
    const { serial, inode } = machine.namespaces.get(netnsOf(life.of)) ?? machine.addNamespace(netnsOf(life.of));
    const plugins = this.pluginsOf(life);
    const isStale = life.phase !== "none" && life.boot === machine.boot && life.serial !== serial;
    if ((isStale && this.#forgives) || isOld(machine, life)) life.mayFail = true;
    this.#forgetAddresses();
    const isBesideListed = this.#promises.noteListed(life);
    const running = this.#runningBeside(life);
    const rivals = running.filter((other) => this.#share(life, other));
    // A sibling's DEL may undo what an earlier try left, and free the lease that this one gets.
    life.removes = restOf(machine.files.get(journalFileOf(life.of))?.text).length > 0;
    const isUndone = running.length > 0 && life.removes;
    if (isUndone) life.isContested = true;
    for (const rival of rivals.filter(({ removes }) => removes || life.removes))
      life.isContested = rival.isContested = true;
    life.isBetween = rivals.length > 0 && !this.#point.includes(": ");
    life.isLimitContested = running.some(
      (other) =>
        this.#haveOneLimit(life, other) && restOf(machine.files.get(journalFileOf(other.of))?.text).length === 0,
    );
    const isElsewhereThan = (other: Life) => other.phase !== "none" && other.serial !== serial;
    const clients = this.#ofContainer(life.of.container).filter((other) =>
      other === life ? isStale : this.#share(life, other) && isElsewhereThan(other),
    );
    for (const one of clients.length > 0 ? [life, ...clients] : []) one.isOneClient = true;
    const isElsewhere = namespaceOf(machine, life) !== undefined && !isInPlace(machine, life);
    const wasElsewhere = life.isElsewhere && machine.tasks.has(pidOf(life.of.container));
    life.isElsewhere =
      life.phase !== "none" &&
      (isElsewhere || wasElsewhere || (life.isEdited && (isOld(machine, life) || isUntouched(machine, life))));
    // If two verbs at once want one interface, an ADD fails. Which one depends on their turns, and it may be both.
    const isFree = rivals.length === 0 && !isUndone && !this.#hasCutOffRival(life, serial);
    const must = isFree && !isBesideListed && !this.#mayBeEntered(life) && mustPass(machine, life, plugins);
    const isUnknown = machine.files.has(resultFile(life.of)) && !hasJournal(machine, life);
    return { plugins, serial, inode, boot: machine.boot, must, isFree, wasLive: isLive(machine, life), isUnknown };
  }

  /** Whether a task may run in a namespace of the attachment, as far as a wrapper knows: without a path, only the inode tells. */
  #mayBeEntered(life: Life): boolean {
    const { files, tasks, boot } = this.machine;
    const rest = restOf(files.get(journalFileOf(life.of))?.text).filter(({ bootId }) => bootId === `boot-${boot}`);
    const inodes = [life.inode, ...rest.map(({ namespace }) => namespace.inode)];
    return [...tasks.values()].some(({ inode, serial }) => inodes.includes(inode) && serial !== life.serial);
  }

  /**
   * Whether the ADD of a sibling was cut off that wants one of its interfaces in its namespace, or its limit, or the ADD or DEL of one
   * that wants one of its leases. As far as a wrapper knows, that ADD may still run, and the lease is still the sibling's.
   */
  #hasCutOffRival(life: Life, serial: number): boolean {
    const isCutOff = (other: Life) =>
      other.phase === "tried" &&
      ((!other.hasFailed && other.serial === serial) || other.mayFail || this.machine.files.has(resultFile(other.of)));
    const wantsLease = (other: Life) => other.phase === "tried" && !other.hasFailed && this.#holdsLease(other, life);
    const isRival = (other: Life) =>
      (isCutOff(other) && (this.#share(life, other) || this.#haveOneLimit(life, other))) || wantsLease(other);
    return this.#ofContainer(life.of.container).some((other) => other !== life && isRival(other));
  }

  #endAdd(life: Life, begun: Begun, { value, problem, isStruck = false }: Outcome<JsonObject | undefined>): void {
    const { machine } = this;
    const { plugins, serial, inode, boot, must, isFree, wasLive } = begun;
    const isPoor =
      /no IP addresses available|no more tries/.test(problem ?? "") || this.#isTakenElsewhere(life, problem);
    this.log.expect("ADD passes", !problem || !must || isStruck || isPoor, () => `${life.key}: ${problem}`);
    // A second ADD of a live attachment leaves it as it was.
    if (problem && wasLive && namespaceOf(machine, life)) {
      life.isOutrun ||= serial !== life.serial;
      return;
    }
    const { addresses: former, isEdited } = life;
    if (problem) this.#forgetTaken(life);
    if (problem && this.#forgives) life.addresses = undefined;
    // As long as a task runs in the old namespace, its attachment may be in use.
    if (problem && ((!must && machine.tasks.size > 0) || begun.isUnknown)) life.mayFail = true;
    Object.assign(life, { serial, inode, boot, addedAt: machine.uptime, phase: problem ? "tried" : "attached" });
    // 999 is a plugin's own error, and 101 its death.
    life.hasFailed = problem !== undefined && /"code":(999|101),/.test(problem);
    if (!value || !isInPlace(machine, life)) return;
    if (wasLive) this.#promises.expectAll("a live attachment keeps what it has", life);
    Object.assign(life, { mayFail: false, isEdited: false });
    life.addresses = addressesIn(value);
    life.effects = effectsOf(machine, life, plugins, life.addresses);
    this.#promises.expectAll("ADD gives all that the list asks for", life);
    // A lease is not asked for that a sibling may hold, or the attachment itself in another namespace.
    if (isEdited || isStruck || !former || !isFree || life.isElsewhere) return;
    for (const name of chosenInterfaces(plugins, life.of)) {
      const [had, has] = [former, life.addresses].map((addresses) => `${addresses[name]}`);
      if (!former[name]) continue;
      const holds = had === has || isLeasedByOther(machine, `${life.of.container}\r\n${name}`, `${had}`);
      this.log.expect("ADD gives the addresses that it had", holds, () => `${life.key}: ${has} for ${had}`);
    }
  }

  /** An ADD has got other addresses for those that others have taken, and failed later. The next one asks for what it got. */
  #forgetTaken(life: Life): void {
    const isTaken = (name: string, address: string) =>
      isLeasedByOther(this.machine, `${life.of.container}\r\n${name}`, address);
    const kept = Object.entries(life.addresses ?? {}).filter(
      ([name, addresses]) => !addresses.some((address) => isTaken(name, address)),
    );
    life.addresses &&= Object.fromEntries(kept);
  }

  /**
   * Whether an ADD asks for an address that somebody else has in a network that the interface had before its list was edited. With
   * two networks for one subnet, host-local gives an address twice, which the model does not do. The wrapper looks at the
   * leases of one network.
   */
  #isTakenElsewhere({ of }: Life, problem = ""): boolean {
    const [, address] = /requested IP address (\S+) is not available/.exec(problem) ?? [];
    const { machine } = this;
    return machine.isOnePool && !!address && isLeasedByOther(machine, of.container, address);
  }

  #check(life: Life, loses: number | undefined): void {
    const check = () => this.#drive(life, undefined, (runtime, verb) => runtime.check(verb)).problem;
    const first = check();
    // The DEL of a sibling's loopback has set the container's `lo` down (plugins/main/loopback, cmdDel). No wrapper runs that.
    const isDown = first?.startsWith("CHECK of loopback");
    const namespace = namespaceOf(this.machine, life);
    if (isDown && namespace) namespace.isUp = true;
    const problem = isDown ? check() : first;
    if (!isLive(this.machine, life) || !isInPlace(this.machine, life)) return;
    if (life.isEdited || this.machine.missing.size > 0) return;
    // An unknown plugin's DEL may have taken it along (docs/behavior.md, Limits).
    if (life.isMarkContested && problem?.startsWith("CHECK of mark-wrapper")) return;
    // The DEL of a sibling without an entry had decided, and not begun, when the ADD began (docs/behavior.md, Limits).
    if (life.isBetween && problem?.includes("host-local: Failed to find address")) return;
    if (life.isLimitContested && problem?.startsWith("CHECK of bandwidth-wrapper")) return;
    // The next DEL or ADD of a sibling publishes the ports again (docs/behavior.md, Limits).
    if (this.#promises.isHalfDeleted(life) && problem?.startsWith("CHECK of portmap-wrapper")) return;
    this.log.expect("CHECK passes", !problem, () => `${life.key}: ${problem}`);
    const losses = life.effects.filter(({ lose }) => lose);
    const loss = loses === undefined ? undefined : losses[loses % losses.length];
    if (!loss?.lose) return;
    const giveBack = loss.lose();
    this.log.note(`  it loses ${loss.what}`);
    this.log.expect("CHECK sees a loss", check() !== undefined, () => `${life.key} lost ${loss.what}`);
    giveBack();
  }

  #del({ of, fault }: VerbEvent): void {
    const life = this.#life(of);
    if (this.#busy.has(life)) return;
    this.#promises.noteListed(life);
    life.removes = true;
    // A plain plugin would remove whatever has the name in another namespace.
    const isElsewhere = isPlain(this.pluginsOf(life)) && !isInPlace(this.machine, life);
    const outcome = this.#drive(life, fault, (runtime, verb) =>
      runtime.del(isElsewhere ? { ...verb, netns: "" } : verb),
    );
    if (!outcome.isOutrun) this.#endDel(life, outcome, fault?.do.endsWith("the plugin"));
  }

  #endDel(life: Life, { problem, isStruck = false, hasPassed = false }: Outcome<unknown>, isOfPlugin = false): void {
    const { machine } = this;
    if (problem) {
      const isMissing = this.pluginsOf(life).some((plugin) => machine.missing.has(delegateOf(plugin)));
      this.log.expect("DEL passes", isStruck || isMissing, () => `${life.key}: ${problem}`);
      // As far as anybody knows, the attachment is in use as long as no plugin of it is removed.
      life.mayFail ||= life.phase === "attached" && !hasPassed;
      if (life.phase !== "none") Object.assign(life, { phase: "tried", addresses: undefined });
      return;
    }
    this.#promises.expectGone("DEL leaves nothing", life, isStruck && isOfPlugin);
    forget(life);
    const others = this.#ofContainer(life.of.container);
    if (others.some(({ phase }) => phase !== "none") || others.some((other) => this.#busy.has(other))) return;
    machine.removeNamespace(netnsOf(life.of));
    machine.endTask(pidOf(life.of.container));
  }

  /** GC of a list: of this runtime, or of another one that has none of these containers. */
  #collect(list: string, isAnothers: boolean): void {
    const known = [...this.lives.values()].filter(({ of }) => of.list === list);
    const isValid = (life: Life) =>
      life.phase !== "none" && (isInPlace(this.machine, life) || isLive(this.machine, life));
    const valid = known.filter((life) => this.#busy.has(life) || isValid(life));
    const invalid = known.filter((life) => !valid.includes(life));
    const remembered = known.filter((life) => hasJournal(this.machine, life));
    const of = (lives: readonly Life[]) => (isAnothers ? [] : lives.map((life) => life.of));
    const plugins = this.lists.get(list) ?? [];
    const runtime = new Runtime(this.machine, this.#sabotage);
    const { problem } = this.#noted(this.#step("the GC", runtime.gc(list, plugins, of(valid), of(invalid))) ?? {});
    this.log.expect("GC passes", !problem || this.machine.missing.size > 0, () => String(problem));
    for (const life of isAnothers ? [] : invalid) {
      if (problem === undefined && !this.machine.namespaces.has(netnsOf(life.of)) && this.machine.tasks.size === 0) {
        this.#promises.expectGone("GC leaves nothing", life);
        forget(life);
        // libcni ran DEL for an attachment that has another namespace in its place.
      } else if (life.phase !== "none") Object.assign(life, { phase: "tried", addresses: undefined });
    }
    // The other runtime's GC has taken what an attachment left whose namespace is gone, and its journal. libcni's result would
    // keep an interface of that name in a later namespace until that goes: it leaks nothing, so the model forgets it.
    for (const { of } of isAnothers ? remembered.filter((life) => !hasJournal(this.machine, life)) : []) {
      this.machine.files.delete(resultFile(of));
    }
  }

  /** Runs verbs of several attachments at once. */
  #together(verbs: readonly VerbEvent[], turns: readonly number[]): void {
    const texts = [...this.lives.values()].map(
      (life) => [life, this.machine.files.get(resultFile(life.of))?.text] as const,
    );
    this.#promises.results = new Map(texts.flatMap(([life, text]) => (text ? [[life, text]] : [])));
    const waiting = turns.values();
    this.#point = "";
    let left = 0;
    const all = verbs.flatMap(({ do: verb, of }) => {
      const life = this.#life(of);
      if (this.#busy.has(life)) return [];
      this.#busy.add(life);
      this.#noteMarks(life);
      const begun = verb === "ADD" ? this.#beginAdd(life) : undefined;
      if (verb === "DEL") life.removes = true;
      const runtime = new Runtime(this.machine, this.#sabotage);
      const given = this.#verb(life, () => left-- <= 0);
      const task: Task<JsonObject | undefined> = verb === "ADD" ? runtime.add(given) : runtime.del(given);
      return [{ life, begun, runtime, task, outcome: undefined as Outcome<JsonObject | undefined> | undefined }];
    });
    while (all.some(({ outcome }) => !outcome)) {
      for (const one of all.filter(({ outcome }) => !outcome)) {
        left = waiting.next().value ?? Number.POSITIVE_INFINITY;
        one.outcome = this.#step(one.life.key, one.task);
      }
    }
    const isRival = (one: Life, other: Life) =>
      one !== other && (this.#share(one, other) || this.#haveOneLimit(one, other));
    const isAlone = all.every((one) => all.every((other) => !isRival(one.life, other.life)));
    for (const { life, begun, runtime, outcome = {} } of all) {
      this.#busy.delete(life);
      this.log.note(`  ${life.key}: ${outcome.problem ?? "passed"}`);
      if (begun) this.#endAdd(life, begun, { ...outcome, isStruck: !isAlone });
      else this.#endDel(life, { ...outcome, hasPassed: runtime.hasPassed });
    }
    this.#promises.results.clear();
  }

  /** Whether two attachments want the same interface of a container. */
  #share(one: Life, other: Life): boolean {
    const [names, others] = [one, other].map((life) => interfacesOf(this.pluginsOf(life), life.of));
    return one.of.container === other.of.container && !!names?.some((name) => others?.includes(name));
  }

  /** Whether a sibling's journal has one of the leases of an attachment: of an ADD that passed, or that may still run. */
  #holdsLease(sibling: Life, life: Life): boolean {
    const text = this.machine.files.get(journalFileOf(sibling.of))?.text ?? "";
    const leases = this.pluginsOf(life).flatMap((plugin) =>
      interfacesOf([plugin], life.of).map((name) => `${networkOf(plugin, life.of)} ${name}`),
    );
    const mayRun = namespaceOf(this.machine, sibling) !== undefined;
    return standingOf(text).some(({ id, role, delegateNetwork, ifName }) => {
      const isHolding = mayRun || text.includes(`{"line":"done","id":"${id}"`);
      return role === "creator" && isHolding && leases.includes(`${delegateNetwork} ${ifName}`);
    });
  }

  /** Whether two attachments of a container want the same device of bandwidth. */
  #haveOneLimit({ of }: Life, other: Life): boolean {
    const hasLimit = this.pluginsOf(other).some((plugin) => delegateOf(plugin) === "bandwidth");
    return hasLimit && of.container === other.of.container && of.list === other.of.list;
  }

  /** Runtimes give DEL no namespace if there is none. */
  #verb(life: Life, stops: Stops): Verb {
    const netns = this.machine.namespaces.has(netnsOf(life.of)) ? netnsOf(life.of) : "";
    return { of: life.of, plugins: this.pluginsOf(life), stops, netns };
  }

  /** Notes that verbs of siblings with an unknown plugin run at the same time. */
  #noteMarks(life: Life): void {
    const hasMark = (one: Life) => one.isEdited || this.pluginsOf(one).some((plugin) => delegateOf(plugin) === "mark");
    const marked = [life, ...this.#runningBeside(life)].filter(hasMark);
    for (const one of marked.length > 1 ? marked : []) one.isMarkContested = true;
  }

  /** Runs a verb to its end, or to that of its fault. */
  #drive<T>(life: Life, fault: Fault | undefined, begin: (runtime: Runtime, verb: Verb) => Task<T>): Outcome<T> {
    const runtime = new Runtime(this.machine, this.#sabotage);
    const task = begin(runtime, this.#verb(life, stopsOf(fault)));
    const number = ++life.verbs;
    this.#busy.add(life);
    this.#noteMarks(life);
    let isStruck = false;
    let end: PluginEnd;
    for (;;) {
      const outcome = this.#step(life.key, task, end);
      if (outcome || !fault) {
        this.#busy.delete(life);
        return this.#noted({ ...outcome, isStruck, hasPassed: runtime.hasPassed });
      }
      isStruck = true;
      const strike = this.#strike(fault, life, runtime);
      if (strike === "all end") {
        this.#busy.delete(life);
        const isOutrun = life.verbs !== number;
        if (isOutrun) this.#noteOutrun(life);
        return this.#noted({ problem: "its process ended", isStruck, isOutrun, hasPassed: runtime.hasPassed });
      }
      end = strike;
    }
  }

  /** A call that began after the next runtime's DEL is known only to its journal, and `prune` runs its DEL. */
  #noteOutrun(life: Life): void {
    const { machine } = this;
    if (life.phase !== "none" || !hasJournal(machine, life)) return;
    const { serial, inode } = machine.namespaces.get(netnsOf(life.of)) ?? life;
    const { boot, uptime: addedAt } = machine;
    Object.assign(life, { serial, inode, boot, addedAt, phase: "tried", isOutrun: true });
  }

  /** Another's GC or a sibling's DEL may have undone all of an attachment that is not live. */
  #forgetAddresses(): void {
    for (const life of this.lives.values()) if (!hasJournal(this.machine, life)) life.addresses = undefined;
  }

  #noted<T>(outcome: Outcome<T>): Outcome<T> {
    this.log.note(`  ${outcome.problem ?? "passed"}`, outcome.problem ? "failed" : "passed");
    return outcome;
  }

  /** A fault comes. Returns how the plugin ends, if only that ends. */
  #strike(fault: Fault, life: Life, runtime: Runtime): PluginEnd | "all end" {
    const { boot } = this.machine;
    this.log.note(
      `  at "${this.#point}": ${fault.do}${fault.first ? `, ${lineOf(fault.first)}` : ""}`,
      `fault: ${fault.do}`,
    );
    if (fault.do === "kill the runtime" && this.#busy.delete(life)) this.#orphans.add(life);
    if (fault.first) this.#happen(fault.first);
    this.#orphans.delete(life);
    this.#forgetAddresses();
    if (this.machine.boot !== boot) return "all end";
    switch (fault.do) {
      case "kill":
        return "all end";
      case "kill the runtime":
        while (runtime.call && !this.#step(life.key, runtime.call));
        // So does the DEL that libcni's GC runs.
        if (fault.first?.do === "GC" || (fault.first?.do === "DEL" && fault.first.of === life.key))
          this.#forgetFlannels(life);
        return "all end";
      case "power":
        this.machine.reboot();
        return "all end";
      case "kill the plugin":
        return "killed";
      case "fail the plugin":
        // Masquerading is the last thing that a plugin does.
        return /chain filled|masqueraded/.test(this.#point) ? "killed" : "fails";
      case "go on":
        return undefined;
      default:
        return fault.do satisfies never;
    }
  }

  /**
   * A DEL that comes in the middle of flannel's ADD removes the file without which flannel's DEL does nothing (flannel_linux.go,
   * consumeScratchNetConf). What that ADD makes then stays, with plain flannel as well (docs/behavior.md, Limits).
   */
  #forgetFlannels({ key, of }: Life): void {
    const isKept = (file: string) => file.startsWith("/var/lib/cni/flannel") && file.endsWith(`/${of.container}`);
    if (this.machine.files.keys().some(isKept)) return;
    for (const { by, remove } of this.machine.things()) if (by.get(key) === "flannel") remove();
  }

  /** Lets a task go on to its next stop. Returns its outcome if it ended. */
  #step<T>(maker: string, task: Task<T>, end?: PluginEnd): Outcome<T> | undefined {
    this.machine.maker = maker;
    try {
      const step = task.next(end);
      if (step.done) return { value: step.value };
      this.#point = step.value;
      return undefined;
    } catch (error) {
      if (error instanceof VerbFailed) return { problem: error.message };
      throw error;
    }
  }

  #edit(event: Event & { do: "rename" | "remove from the list" }): void {
    const list = this.lists.get(event.list) ?? [];
    const isRemoval = event.do === "remove from the list";
    const plugin = isRemoval && list.length > 1 ? list[event.plugin] : undefined;
    // flannel keeps one configuration for a container: an ADD under another name loses the first one.
    if (!isRemoval && list.some((one) => delegateOf(one) === "flannel")) return;
    // Several edits between two verbs are too many to tell the plugins apart.
    if ((isRemoval && !plugin) || this.#edited.has(event.list)) return;
    this.#edited.add(event.list);
    if (!isRemoval) this.machine.isOnePool = true;
    this.lists.set(event.list, isRemoval ? removed(list, event.plugin) : renamed(list, event.from, event.to));
    for (const life of this.lives.values()) {
      if (life.of.list !== event.list || life.phase === "none") continue;
      life.isEdited = true;
      const isBehind = list.slice(0, event.do === "rename" ? 0 : event.plugin).some(({ type }) => isWrapper(type));
      if (plugin) noteRemoved(life, delegateOf(plugin), isBehind);
    }
  }

  #lose(container: string, hasTask: true | undefined): void {
    const path = `/run/netns/${container}`;
    const pid = pidOf(container);
    const keeps = hasTask && this.machine.namespaces.has(path) && !this.machine.tasks.has(pid);
    if (keeps) this.machine.leaveTask(path, pid);
    else this.machine.removeNamespace(path);
  }
}

function isWrapper(type: string): boolean {
  return type.endsWith("-wrapper");
}

function pidOf(container: string): number {
  return 1000 + Number(container.slice(1));
}

/** Stops once, at the point of a fault. */
function stopsOf(fault: Fault | undefined): Stops {
  if (!fault) return () => false;
  const { at } = fault;
  let left = typeof at === "number" ? at : 0;
  const isOfPlugin = fault.do === "kill the plugin" || fault.do === "fail the plugin";
  let hasCome = false;
  return (point) => {
    if (hasCome || (isOfPlugin && !point.includes(": "))) return false;
    hasCome = typeof at === "number" ? left-- <= 0 : point === at;
    return hasCome;
  };
}
