import type { Random } from "../simulate/random.ts";

const longest = 1000;

/** A new input of random bytes. */
export function freshInput(random: Random): Uint8Array {
  return bytes(random, 1 + random.below(300));
}

/** A copy of an input with one to eight changes. `other` gives it a part. */
export function changed(input: Uint8Array, other: Uint8Array, random: Random): Uint8Array {
  let result = input;
  for (let left = 1 + random.below(random.of([1, 2, 8])); left > 0; left--) {
    result = random.of(changes)(result, other, random);
  }
  return result.subarray(0, longest);
}

type Change = (input: Uint8Array, other: Uint8Array, random: Random) => Uint8Array;

const changes: readonly Change[] = [
  (input, _, random) => withByte(input, random, () => random.below(256)),
  (input, _, random) => withByte(input, random, () => random.below(4)),
  (input, _, random) => withByte(input, random, (byte) => byte + random.of([-1, 1])),
  (input, _, random) => replaced(input, random, part(input, random).subarray(0, 0)),
  (input, _, random) => replaced(input, random, bytes(random, random.below(8))),
  (input, _, random) => replaced(input, random, part(input, random)),
  (input, other, random) => replaced(input, random, part(other, random)),
  (input, other, random) => joined(input.subarray(0, random.below(input.length + 1)), part(other, random)),
];

function withByte(input: Uint8Array, random: Random, change: (byte: number) => number): Uint8Array {
  const at = random.below(input.length);
  const copy = input.slice();
  copy[at] = change(copy[at] ?? 0);
  return copy;
}

/** The input with `inserted` at a random place, where a short part may go. */
function replaced(input: Uint8Array, random: Random, inserted: Uint8Array): Uint8Array {
  const start = random.below(input.length + 1);
  const end = Math.min(input.length, start + random.below(8));
  return joined(input.subarray(0, start), inserted, input.subarray(end));
}

function joined(...parts: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat(parts));
}

function part(input: Uint8Array, random: Random): Uint8Array {
  const start = random.below(input.length + 1);
  return input.subarray(start, start + 1 + random.below(32));
}

function bytes(random: Random, count: number): Uint8Array {
  return Uint8Array.from({ length: count }, () => random.below(256));
}
