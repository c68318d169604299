import { Attached } from "./attached.ts";
import { type Fault, type FaultKind, faultBy, none } from "./fault.ts";
import { Garbage } from "./garbage.ts";
import { isInPlace, type Life, mustPass, newLives, noteAdd, noteDel } from "./life.ts";
import { firstOf } from "./lists.ts";
import { Log } from "./log.ts";
import { Machine } from "./machine.ts";
import { PluginError } from "./plugins.ts";
import { Random } from "./random.ts";
import { Runtime } from "./runtime.ts";
import { diskTraces, everythingOf, isTaken, lacksRecord, leasesOf, linksOf } from "./traces.ts";
import { Ended, PluginKilled, type Sabotage } from "./wrapper.ts";

/** One schedule: a runtime and five containers, three with two attachments, on a host that may fail between any two answers. The seed decides all of it. */
export class Simulation {
  readonly log = new Log();
  readonly #machine = new Machine();
  readonly #runtime: Runtime;
  readonly #random: Random;
  readonly #attached: Attached;
  readonly #neighbour: Life;
  /** The attachments that come and go. Some containers have two. */
  readonly #lives: readonly Life[];
  readonly #garbage: Garbage;
  /** The attachments that the step works on. */
  #busy: Life[] = [];

  constructor(seed: number, sabotage: Sabotage = {}) {
    this.#random = new Random(seed);
    this.#runtime = new Runtime(this.#machine, sabotage);
    this.#attached = new Attached(this.#machine, this.#runtime, this.#random, this.log);
    this.#neighbour = { container: firstOf("neighbour"), phase: "none" };
    this.#lives = newLives();
    this.#garbage = new Garbage(this.#machine, this.#runtime, this.log, this.#all());
  }

  /** Throws `Broken` if a promise is broken. */
  run(steps = 12): void {
    this.#start(this.#neighbour, false);
    for (let step = 0; step < steps; step++) this.#step();
    for (const life of this.#all()) this.#stop(life, false);
    const left = [...this.#machine.files.keys()].filter((path) => !path.endsWith("last_reserved_ip.0"));
    this.log.expect(left.length === 0, `left at the end: ${left}`);
    this.log.expect(this.#machine.rules.size === 0, `rules left at the end: ${[...this.#machine.rules]}`);
  }

  #all(): Life[] {
    return [this.#neighbour, ...this.#lives];
  }

  /** One step, after which every container that it did not work on is the same. */
  #step(): void {
    const life = this.#random.of(this.#lives);
    const before = new Map(this.#all().map((each) => [each, everythingOf(this.#machine, each.container)]));
    const { boot } = this.#machine;
    this.#busy = [life];
    this.#act(life, true);
    this.#machine.now += this.#random.once(20) ? 16 * 60_000 : 1000;
    if (this.#machine.boot !== boot) this.#start(this.#neighbour, false);
    else for (const [other, former] of before) if (!this.#busy.includes(other)) this.#expectSame(other, former);
  }

  #expectSame({ container }: Life, former: string): void {
    const present = everythingOf(this.#machine, container);
    this.log.expect(present === former, `${container.id} changed: ${former} ${present}`);
  }

  #act(life: Life, isAlone: boolean): void {
    const once = (many: number) => this.#random.once(many);
    if (isAlone && once(15)) this.#reboot();
    else if (isAlone && once(8)) this.#collect([]);
    else if (life.phase !== "none" && once(6)) this.#lose(life);
    else if (life.isClash) this.#clash(life);
    else if (life.phase === "attached" && isInPlace(this.#machine, life)) this.#use(life);
    else once(3) ? this.#stop(life) : this.#start(life);
  }

  /** ADD of an attachment that would make an interface of another one must fail. Nothing of the other may change. */
  #clash(life: Life): void {
    if (life.phase !== "none" && this.#random.once(2)) {
      this.#stop(life);
      return;
    }
    const [other] = this.#others(life);
    if (other?.phase !== "attached" || !isInPlace(this.#machine, other)) return;
    const fault = this.#random.once(2) ? this.#fault(life) : none;
    const { boot } = this.#machine;
    const problem = this.log.try("ADD of a clash", life.container.id, () =>
      this.#runtime.add(life.container, fault.between),
    );
    this.log.expect(problem !== undefined, "ADD of a clash must fail");
    Object.assign(life, { phase: "tried", boot, serial: other.serial, addedAt: this.#machine.now });
    if (fault.came()) life.isUncertain = true;
  }

  /** The other attachments of the container. */
  #others(life: Life): readonly Life[] {
    return this.#lives.filter((other) => other !== life && other.container.id === life.container.id);
  }

  /** An attached container. A second ADD must fail and change nothing that lives. */
  #use(life: Life): void {
    const way = this.#random.below(5);
    if (way < 2) this.#attached.check(life);
    else if (way < 4) this.#stop(life);
    else {
      const problem = this.log.try("second ADD", life.container.id, () =>
        this.#runtime.add(life.container, none.between),
      );
      this.log.expect(problem !== undefined, "a second ADD must fail");
      this.#attached.check(life);
    }
  }

  /** ADD up to three times, as Nomad does it. Then it gives up the namespace. */
  #start(life: Life, mayFail = true): void {
    const { netns } = life.container;
    if (!this.#machine.namespaces.has(netns)) this.#machine.addNamespace(netns);
    for (let tries = 0; tries < 3; tries++) {
      const { boot } = this.#machine;
      const serial = this.#machine.namespaces.get(netns)?.serial;
      if (serial === undefined) return;
      if (life.phase !== "none" && life.boot === boot && life.serial !== serial) life.isStuck = true;
      if (this.#add(life, serial, mayFail)) return;
      if (this.#machine.boot !== boot) return;
    }
    if (this.#others(life).some((other) => other.phase === "attached")) this.#stop(life, false);
    else this.#lose(life);
  }

  #add(life: Life, serial: number, mayFail: boolean): boolean {
    const { container, addresses } = life;
    const { boot } = this.#machine;
    const fault = mayFail && this.#random.once(2) ? this.#fault(life) : none;
    const isClaimed = this.#others(life).some((other) => other.isUncertain && isInPlace(this.#machine, other));
    const must = mustPass(this.#machine, life) && !isClaimed;
    const isUnrecorded = lacksRecord(this.#machine, container);
    const keeps = life.phase === "attached" && life.boot !== boot;
    const problem = this.log.try("ADD", container.id, () => this.#runtime.add(container, fault.between));
    if (this.#machine.boot === boot) noteAdd(life, this.#machine, serial, problem === undefined);
    else Object.assign(life, { phase: "tried", boot });
    if (isUnrecorded && problem !== undefined && fault.came()) life.isUnrecorded = true;
    const isExcused = problem === undefined || !must || fault.came() || isTaken(problem, this.#machine, container);
    this.log.expect(isExcused, `ADD must pass: ${problem}`);
    if (problem !== undefined) return false;
    if (isInPlace(this.#machine, life)) this.#attached.attached(life, keeps && !fault.came() ? addresses : undefined);
    else life.addresses = leasesOf(this.#machine, container);
    return true;
  }

  /** DEL until it passes, before or after the end of the namespace. */
  #stop(life: Life, mayFail = true): void {
    const { container } = life;
    if (this.#random.once(3)) this.#lose(life);
    // Without the namespace, the leases of a clash may go with either attachment.
    if (!this.#machine.namespaces.has(container.netns)) this.#busy.push(...this.#others(life));
    for (let isDone = false, tries = 0; !isDone; tries++) {
      const fault = mayFail && tries < 5 && this.#random.once(2) ? this.#fault(life) : none;
      const problem = this.log.try("DEL", container.id, () => this.#runtime.del(container, fault.between));
      this.log.expect(problem === undefined || fault.came(), `DEL must pass: ${problem}`);
      isDone = problem === undefined;
    }
    const left = [...diskTraces(this.#machine, container), ...Object.keys(linksOf(this.#machine, container))];
    this.log.expect(left.length === 0, `left after DEL: ${left}`);
    noteDel(life);
    if (this.#others(life).every((other) => other.phase === "none")) this.#lose(life);
  }

  #lose(life: Life): void {
    this.log.note(`${life.container.id} loses its namespace`);
    this.#busy.push(...this.#others(life));
    this.#machine.removeNamespace(life.container.netns);
  }

  #reboot(): void {
    this.log.note("reboot");
    this.#machine.reboot();
  }

  /** GC of this runtime or of another one, while calls for some attachments are under way. */
  #collect(underWay: readonly Life[]): void {
    const isOfNetwork = this.#random.once(2);
    const touched = isOfNetwork ? this.#garbage.invalid(underWay) : this.#garbage.lost();
    this.#busy = [...underWay, ...touched];
    if (isOfNetwork) this.#garbage.collect(underWay);
    else for (const life of this.#garbage.collectForAnother(underWay)) this.#stop(life, false);
  }

  #fault(life: Life): Fault {
    return faultBy(this.#random, (where, kind) => {
      this.log.note(`  ${where}: ${kind}`, `fault: ${kind}`);
      this.#happen(kind, life);
    });
  }

  #happen(kind: FaultKind, life: Life): void {
    if (kind === "kill") throw new Ended();
    if (kind === "plugin") throw new PluginKilled();
    if (kind === "error") throw new PluginError("the plugin has no memory");
    if (kind === "power") {
      this.#reboot();
      throw new Ended();
    }
    if (kind === "namespace") this.#lose(life);
    else if (kind === "gc") this.#collect(this.#busy);
    else this.#actOnOther();
  }

  #actOnOther(): void {
    const isFree = (each: Life) => ![each, ...this.#others(each)].some((one) => this.#busy.includes(one));
    const free = this.#lives.filter(isFree);
    if (free.length === 0) return;
    const other = this.#random.of(free);
    this.#busy.push(other);
    this.#act(other, false);
  }
}
