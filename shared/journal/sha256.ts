/** Returns the SHA-256 of an ASCII text, in hexadecimal. Neither engine has one that both flavors could use. */
export function sha256(text: string): string {
  const words = padded(text);
  let state = initial;
  for (let at = 0; at < words.length; at += 16) state = compressed(state, words.slice(at, at + 16));
  return state.map((word) => (word >>> 0).toString(16).padStart(8, "0")).join("");
}

type Eight = readonly [number, number, number, number, number, number, number, number];

const primes = firstPrimes(64);
const initial = primes.slice(0, 8).map((prime) => fraction(Math.sqrt(prime))) as unknown as Eight;
const constants = primes.map((prime) => fraction(Math.cbrt(prime)));

function firstPrimes(count: number): number[] {
  const found: number[] = [];
  for (let one = 2; found.length < count; one++) if (found.every((prime) => one % prime !== 0)) found.push(one);
  return found;
}

// The first 32 bits of the fractional part: those before them do not fit, and go.
function fraction(root: number): number {
  return (root * 2 ** 32) | 0;
}

/** The text, a one, zeros, and the number of its bits, in blocks of 16 numbers. The slim flavor's engine has no typed arrays. */
function padded(text: string): number[] {
  const size = 64 * Math.ceil((text.length + 9) / 64);
  const words = `${text}\x80`.padEnd(size - 8, "\0").match(/.{4}/gs) ?? [];
  return [...words.map(wordOf), 0, 8 * text.length];
}

function wordOf(four: string): number {
  return Array.from(four).reduce((word, sign) => (word << 8) | sign.charCodeAt(0), 0);
}

function compressed(state: Eight, block: readonly number[]): Eight {
  const words: number[] = [];
  let [a, b, c, d, e, f, g, h] = state;
  constants.forEach((constant, i) => {
    const word = block[i] ?? extended(words);
    words.push(word);
    const high = (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + ((e & f) ^ (~e & g));
    const first = (h + high + constant + word) | 0;
    const second = (turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + second) | 0];
  });
  const added = [a, b, c, d, e, f, g, h];
  return state.map((word, i) => (word + (added[i] as number)) | 0) as unknown as Eight;
}

function extended(words: readonly number[]): number {
  const back = (count: number) => words.at(-count) as number;
  const [old, late] = [back(15), back(2)];
  const first = turned(old, 7) ^ turned(old, 18) ^ (old >>> 3);
  const second = turned(late, 17) ^ turned(late, 19) ^ (late >>> 10);
  return (back(16) + first + back(7) + second) | 0;
}

function turned(word: number, bits: number): number {
  return (word >>> bits) | (word << (32 - bits));
}
