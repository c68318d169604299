import type { JsonObject } from "../../../shared/protocol/json.ts";
import fc from "../support/fast-check.ts";

/** Keys that every JavaScript object has already, and other keys that programs get wrong. */
const hardKeys = ["__proto__", "constructor", "toString", "valueOf", "hasOwnProperty", "toJSON", "length", "0", ""];

const hardNumbers = [0, -1, 0.1, 2 ** 31, 2 ** 53, 2 ** 64, 1e21, 5e-324, Number.MAX_VALUE];

/** JSON values of every kind, with keys and numbers that programs get wrong. They are as JSON.parse makes them: -0 is 0. */
export const jsonValues: fc.Arbitrary<unknown> = fc
  .letrec((tie) => ({
    leaf: fc.oneof(
      fc.constantFrom(null, true, false, "", "toString", "é🙂", "a\u2028b\n"),
      fc.constantFrom(...hardNumbers),
      fc.string({ maxLength: 5 }),
    ),
    list: fc.array(tie("any"), { maxLength: 3 }),
    object: objects(tie("any")),
    any: fc.oneof({ maxDepth: 3 }, tie("leaf"), tie("list"), tie("object")),
  }))
  .any.map(parsed);

function objects(values: fc.Arbitrary<unknown>, keys: readonly string[] = ["mtu", "name"]) {
  const key = fc.oneof(fc.constantFrom(...keys), fc.constantFrom(...hardKeys));
  return fc.dictionary(key, values, { maxKeys: 3, noNullPrototype: true });
}

/** JSON objects with these keys and hard ones. */
export function jsonObjects(keys: readonly string[]): fc.Arbitrary<JsonObject> {
  return objects(jsonValues, keys).map(parsed);
}

/** Values with one part, chosen by number, replaced by another value. */
export function damaged<T>(values: fc.Arbitrary<T>, others: fc.Arbitrary<unknown> = jsonValues): fc.Arbitrary<unknown> {
  return fc.tuple(values, fc.nat({ max: 60 }), others).map(([value, where, other]) => {
    let left = where;
    return JSON.parse(JSON.stringify(value), (key, part) => (key !== "" && left-- === 0 ? other : part));
  });
}

function parsed<T>(value: T): T {
  return JSON.parse(JSON.stringify(value));
}
