import { VerbFailed } from "./runtime.ts";
import { Ended } from "./wrapper.ts";

/** A broken promise, with the schedule's history until then. */
export class Broken extends Error {}

/** What happened in a schedule: each verb, its error, and each fault. */
export class Log {
  readonly history: string[] = [];
  /** How often each verb passed and failed, and how often each fault came. */
  readonly counts = new Map<string, number>();

  note(line: string, kind?: string): void {
    this.history.push(line);
    if (kind) this.counts.set(kind, (this.counts.get(kind) ?? 0) + 1);
  }

  #broken: Broken | undefined;

  /** Runs a verb. Returns its problem; undefined if it passed. */
  try(kind: string, whose: string, verb: () => void): string | undefined {
    this.note(`${kind} ${whose}`);
    try {
      verb();
      this.note("  passed", `${kind} passed`);
      return undefined;
    } catch (error) {
      // The core makes an error of its own of it.
      if (this.#broken) throw this.#broken;
      if (!(error instanceof VerbFailed || error instanceof Ended)) throw error;
      const problem = error.message || "its process ended";
      this.note(`  ${problem}`, `${kind} failed`);
      return problem;
    }
  }

  /** Throws `Broken` if a promise does not hold. */
  expect(holds: boolean, message: string): void {
    if (holds) return;
    this.#broken = new Broken(`${message}\n${this.history.join("\n")}`);
    throw this.#broken;
  }
}
