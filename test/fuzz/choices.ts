import fc from "fast-check";
import { Random } from "../simulate/random.ts";

/** From here on, a byte is the first of five that choose one number. */
const firstLong = 0xf0;

/** After the input's end come so many zeros, which choose short values. Then come random bytes: some generators wait for one that fits. */
const zeros = 64;

/**
 * An input as fast-check's source of numbers: nearly every byte is one choice of the generators. So a changed byte changes
 * one part of a value, and the value still means something.
 */
class Choices {
  readonly #input: Uint8Array;
  readonly #note: (read: number) => void;
  #at: number;

  constructor(input: Uint8Array, note: (read: number) => void, at = 0) {
    this.#input = input;
    this.#note = note;
    this.#at = at;
  }

  /** A 32-bit number with a sign. A generator takes the remainder of its distance from the smallest one. */
  next(): number {
    const byte = this.#byte();
    const number = byte < firstLong ? byte : [1, 2, 3, 4].reduce((sum) => sum * 256 + this.#byte(), 0);
    return number - 2 ** 31;
  }

  clone(): Choices {
    return new Choices(this.#input, this.#note, this.#at);
  }

  getState(): readonly number[] {
    return [this.#at];
  }

  #byte(): number {
    const at = this.#at++;
    this.#note(this.#at);
    return this.#input[at] ?? (at < this.#input.length + zeros ? 0 : new Random(at).below(256));
  }
}

/** The value that an input chooses, and how many of its bytes it needs. The first byte says whether extreme values are frequent. */
export function chosenBy<T>(property: fc.IRawProperty<T>, input: Uint8Array): { value: fc.Value<T>; length: number } {
  let length = 0;
  const choices = new Choices(input, (read) => {
    length = Math.min(input.length, Math.max(length, read));
  });
  const isExtreme = choices.next() % 2 === 0;
  return { value: property.generate(new fc.Random(choices), isExtreme ? 0 : undefined), length };
}
