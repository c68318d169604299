/** More calls of one input than these are an endless loop, or take far too long. */
const mostHits = 20_000_000;

/** Counts how often each point of the code is passed. It keeps what any input reached so far. */
export class Hits {
  readonly #counts: Uint32Array;
  readonly #passed: number[] = [];
  /** For each point, a bit for each order of magnitude in which some input passed it. */
  readonly #seen: Uint8Array;
  #left = mostHits;
  /** How many points some input passed. */
  points = 0;

  constructor(size: number) {
    this.#counts = new Uint32Array(size);
    this.#seen = new Uint8Array(size);
  }

  hit(point: number): void {
    const count = this.#counts[point] ?? 0;
    if (count === 0) this.#passed.push(point);
    this.#counts[point] = count + 1;
    if (this.#left-- === 0) throw new Error(`the code ran ${mostHits} points: an endless loop`);
  }

  /** Ends an input. Returns whether it passed a point that no earlier one did, or passed one far more often. */
  isNew(): boolean {
    let isNew = false;
    for (const point of this.#passed) {
      const bit = 1 << Math.min(7, Math.floor(Math.log2(this.#counts[point] ?? 1)));
      const seen = this.#seen[point] ?? 0;
      if (seen === 0) this.points++;
      if ((seen & bit) === 0) isNew = true;
      this.#seen[point] = seen | bit;
      this.#counts[point] = 0;
    }
    this.#passed.length = 0;
    this.#left = mostHits;
    return isNew;
  }
}
