/** A line about the inputs so far: a bar on a terminal, else a line for each twentieth part. */
export class Progress {
  readonly #total: number;
  readonly #started = performance.now();
  #done = 0;
  #told = 0;

  constructor(total: number) {
    this.#total = total;
  }

  add(inputs: number): void {
    this.#done += inputs;
    const isLast = this.#done >= this.#total;
    const step = this.#total / (process.stderr.isTTY ? 1000 : 20);
    if (this.#done - this.#told < step && !isLast) return;
    this.#told = this.#done;
    process.stderr.write(process.stderr.isTTY ? `\r${this.#line()}${isLast ? "\n" : ""}` : `${this.#line()}\n`);
  }

  #line(): string {
    const part = this.#done / this.#total;
    const seconds = (performance.now() - this.#started) / 1000;
    const bar = "#".repeat(Math.round(30 * part)).padEnd(30, ".");
    const left = Math.ceil((seconds / part) * (1 - part));
    return `[${bar}] ${this.#done} of ${this.#total} inputs, ${Math.round(seconds)} s, ${left} s left `;
  }
}
