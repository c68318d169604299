/** A broken promise, with the schedule's history until then. */
export class Broken extends Error {
  readonly promise: Promised;

  constructor(promise: Promised, detail: string, history: readonly string[]) {
    super(`${promise}: ${detail}\n${history.join("\n")}`);
    this.promise = promise;
  }
}

/** The promises, by name. */
export type Promised = (typeof promises)[number];

export const promises = [
  "a sibling keeps what it has",
  "another container keeps what it has",
  "a live attachment keeps what it has",
  "no two interfaces have one address",
  "ADD passes",
  "ADD gives all that the list asks for",
  "ADD gives the addresses that it had",
  "CHECK passes",
  "CHECK sees a loss",
  "DEL passes",
  "DEL leaves nothing",
  "GC passes",
  "GC leaves nothing",
  "nothing is left at the end",
] as const;

/** What happened in a schedule. */
export class Log {
  readonly history: string[] = [];
  /** How often each verb passed and failed, and how often each fault came. */
  readonly counts = new Map<string, number>();

  note(line: string, kind?: string): void {
    this.history.push(line);
    if (kind) this.counts.set(kind, (this.counts.get(kind) ?? 0) + 1);
  }

  /** Throws `Broken` if a promise does not hold. */
  expect(promise: Promised, holds: boolean, detail: () => string): void {
    if (!holds) throw new Broken(promise, detail(), this.history);
  }
}
