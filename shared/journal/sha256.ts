/** Returns the SHA-256 of an ASCII text, in hexadecimal. Neither engine has one that both flavors could use. */
export function sha256(text: string): string {
  const state = [...initial];
  const bytes = padded(text);
  for (let at = 0; at < bytes.length; at += 64) compress(state, bytes, at);
  return state.map((word) => (word >>> 0).toString(16).padStart(8, "0")).join("");
}

const primes = firstPrimes(64);
const initial = primes.slice(0, 8).map((prime) => fraction(Math.sqrt(prime)));
const constants = primes.map((prime) => fraction(Math.cbrt(prime)));

function firstPrimes(count: number): number[] {
  const found: number[] = [];
  for (let one = 2; found.length < count; one++) if (found.every((prime) => one % prime !== 0)) found.push(one);
  return found;
}

// The first 32 bits of the fractional part.
function fraction(root: number): number {
  return ((root - Math.floor(root)) * 2 ** 32) | 0;
}

/** The text, a one, zeros, and the number of its bits, in blocks of 64 bytes. */
function padded(text: string): number[] {
  const bytes = Array.from(text, (sign) => sign.charCodeAt(0));
  bytes.push(0x80);
  while (bytes.length % 64 !== 56) bytes.push(0);
  bytes.push(0, 0, 0, 0);
  const bits = text.length * 8;
  for (const shift of [24, 16, 8, 0]) bytes.push((bits >>> shift) & 0xff);
  return bytes;
}

function compress(state: number[], bytes: readonly number[], at: number): void {
  const words: number[] = [];
  for (let i = 0; i < 64; i++) words.push(i < 16 ? wordAt(bytes, at + 4 * i) : extended(words, i));
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  words.forEach((word, i) => {
    const high = (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + ((e & f) ^ (~e & g));
    const first = (h + high + (constants[i] ?? 0) + word) | 0;
    const second = (turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + second) | 0];
  });
  [a, b, c, d, e, f, g, h].forEach((word, i) => {
    state[i] = ((state[i] ?? 0) + word) | 0;
  });
}

function wordAt(bytes: readonly number[], at: number): number {
  return [0, 1, 2, 3].reduce((word, i) => (word << 8) | (bytes[at + i] ?? 0), 0);
}

function extended(words: readonly number[], i: number): number {
  const [old = 0, late = 0] = [words[i - 15], words[i - 2]];
  const first = turned(old, 7) ^ turned(old, 18) ^ (old >>> 3);
  const second = turned(late, 17) ^ turned(late, 19) ^ (late >>> 10);
  return ((words[i - 16] ?? 0) + first + (words[i - 7] ?? 0) + second) | 0;
}

function turned(word: number, bits: number): number {
  return (word >>> bits) | (word << (32 - bits));
}
