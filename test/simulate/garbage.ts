import { none } from "./fault.ts";
import { isInPlace, type Life, noteDel } from "./life.ts";
import { lists } from "./lists.ts";
import type { Log } from "./log.ts";
import type { Machine } from "./machine.ts";
import type { Runtime } from "./runtime.ts";
import { diskTraces } from "./traces.ts";

/** GC of this runtime or of another one. `busy` are the attachments that the step works on. */
export class Garbage {
  readonly #machine: Machine;
  readonly #runtime: Runtime;
  readonly #log: Log;
  readonly #all: readonly Life[];

  constructor(machine: Machine, runtime: Runtime, log: Log, all: readonly Life[]) {
    this.#machine = machine;
    this.#runtime = runtime;
    this.#log = log;
    this.#all = all;
  }

  /** The attachments that a GC of the network does not list: all but those that are attached or tried in their place, or under way. */
  invalid(busy: readonly Life[]): readonly Life[] {
    return this.#all.filter(
      (life) => !busy.includes(life) && (life.phase === "none" || !isInPlace(this.#machine, life)),
    );
  }

  /** The attachments whose namespace is gone. The GC of another runtime may collect them. */
  lost(): readonly Life[] {
    return this.#all.filter((life) => life.phase !== "none" && !isInPlace(this.#machine, life));
  }

  /** Runs GC of the network. */
  collect(busy: readonly Life[]): void {
    const invalid = this.invalid(busy);
    const valid = this.#all.filter((life) => !invalid.includes(life));
    this.#run(valid, this.#all, "of the network");
    for (const life of invalid) {
      // Another attachment has a new namespace in this place. libcni's GC ran DEL for this one.
      if (life.phase !== "none" && this.#machine.namespaces.has(life.container.netns)) life.phase = "tried";
      else this.#expectGone(life);
    }
  }

  /**
   * Runs GC of another runtime on this host, with lists of the same names. It knows none of these containers, and has its own
   * cache. Returns the attachments that may have lost something, which are not under way.
   */
  collectForAnother(busy: readonly Life[]): readonly Life[] {
    const lost = this.lost();
    this.#run([], [], "of another runtime");
    // The leases of a call under way may go, too.
    for (const life of lost) if (busy.includes(life)) life.phase = "tried";
    return lost.filter((life) => !busy.includes(life));
  }

  #expectGone(life: Life): void {
    const left = diskTraces(this.#machine, life.container);
    this.#log.expect(left.length === 0, `left after GC: ${left}`);
    noteDel(life);
  }

  #run(valid: readonly Life[], known: readonly Life[], whose: string): void {
    for (const list of Object.keys(lists) as (keyof typeof lists)[]) {
      const of = (lives: readonly Life[]) =>
        lives.map(({ container }) => container).filter((container) => container.list === list);
      const gc = () => this.#runtime.gc(list, of(valid), of(known), none.between);
      const problem = this.#log.try("GC", `${whose} ${list}`, gc);
      this.#log.expect(problem === undefined, `GC must pass: ${problem}`);
    }
  }
}
