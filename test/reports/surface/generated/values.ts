import fc from "fast-check";

/** One of some values. */
export function oneOf<T>(...values: readonly T[]): fc.Arbitrary<T> {
  return fc.constantFrom(...values);
}

/** A usual value, and once in `weight` + 1 times another one. */
export function rarely<T>(usual: fc.Arbitrary<T>, other: fc.Arbitrary<T>, weight: number): fc.Arbitrary<T> {
  return fc.oneof({ weight, arbitrary: usual }, { weight: 1, arbitrary: other });
}

/** Nothing, and once in `weight` + 1 times a value. */
export function sometimes<T>(value: fc.Arbitrary<T>, weight: number): fc.Arbitrary<T | undefined> {
  return rarely<T | undefined>(fc.constant(undefined), value, weight);
}

/** An object with about a quarter of these keys. */
export function keys(
  arbitraries: Readonly<Record<string, fc.Arbitrary<unknown>>>,
): fc.Arbitrary<Record<string, unknown>> {
  const entries = Object.entries(arbitraries).map(([key, value]) => [key, sometimes(value, 3)]);
  return fc
    .record(Object.fromEntries(entries))
    .map((record) => Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined)));
}
