import * as z from "zod/v4/core";
import fc from "./fast-check.ts";

/** The steps from a value to one inside it. */
export type Path = readonly (string | number)[];

/** A value of each JSON kind, and right and wrong values for each name, path, number and option of a schema. */
export const kinds: readonly unknown[] = [
  ...[null, true, false, {}, { key: "value" }, [], [null], [[]], [{}], ["zone"]],
  ...["zone", "eth1", "/var/log/cni.log", "", "a/b", "a:b", "..", "sixteen-bytes-16", "creator", "Creator", " "],
  ...["1s", "30s", "0s", "31s", "5", "1.5s"],
  ...[0, 3, -1, 1.5, 2 ** 40, Number.MAX_VALUE, Number.POSITIVE_INFINITY],
  ...["keep", { IP: "ETH1_IP" }, { "a=b": "IP" }, { IP: 7 }],
  ...[{ only: [443, "8000-8999"] }, { except: [] }, { only: [443], except: [53] }, { only: ["9-1"] }, { except: 53 }],
  ...[{ wait: "5s", required: true }, { wait: 5 }],
];

/** Generates values that a schema accepts. It reads the schema, so it knows every key of it. */
export function rightValues(schema: z.$ZodType): fc.Arbitrary<unknown> {
  const { def } = (schema as z.$ZodTypes)._zod;
  switch (def.type) {
    case "object":
      return fc.record(mapShape(schema, rightValues), { requiredKeys: neededKeys(def.shape) });
    case "array":
      return fc.array(rightValues(def.element), { maxLength: 3 });
    case "nullable":
      return fc.option(rightValues(def.innerType));
    case "optional":
      return rightValues(def.innerType);
    default:
      return fc.constantFrom(...acceptedKinds(schema));
  }
}

/** A value that has every key of a schema, and two entries in every list. */
export function fullValue(schema: z.$ZodType): unknown {
  const { def } = (schema as z.$ZodTypes)._zod;
  switch (def.type) {
    case "object":
      return mapShape(schema, fullValue);
    case "array":
      return [fullValue(def.element), fullValue(def.element)];
    case "nullable":
    case "optional":
      return fullValue(def.innerType);
    default:
      return acceptedKinds(schema)[0];
  }
}

/** Whether a schema accepts a value. */
export function accepts(schema: z.$ZodType, value: unknown): boolean {
  return z.safeParse(schema, value).success;
}

/** The paths of all values in a value, its own included. */
export function pathsIn(value: unknown): Path[] {
  if (typeof value !== "object" || value === null) return [[]];
  const keys = Array.isArray(value) ? [...value.keys()] : Object.keys(value);
  const inner = keys.flatMap((key) => pathsIn(Reflect.get(value, key)).map((path): Path => [key, ...path]));
  return [[], ...inner];
}

/** A copy of a value with another value at a path; `undefined` removes it. */
export function replaced(value: unknown, [step, ...rest]: Path, other: unknown): unknown {
  if (step === undefined) return other;
  const inner = replaced(Reflect.get(value as object, step), rest, other);
  if (Array.isArray(value)) return value.toSpliced(Number(step), 1, ...(inner === undefined ? [] : [inner]));
  const { [step]: _, ...others } = value as Record<string, unknown>;
  return inner === undefined ? others : { ...others, [step]: inner };
}

function mapShape<T>(schema: z.$ZodType, make: (inner: z.$ZodType) => T): Record<string, T> {
  const { shape } = (schema as z.$ZodObject)._zod.def;
  return Object.fromEntries(Object.entries(shape).map(([key, inner]) => [key, make(inner)]));
}

function neededKeys(shape: z.$ZodShape): string[] {
  return Object.keys(shape).filter((key) => shape[key]?._zod.optin === undefined);
}

function acceptedKinds(schema: z.$ZodType): unknown[] {
  const { def } = (schema as z.$ZodTypes)._zod;
  if (def.type === "enum") return Object.values(def.entries);
  const right = kinds.filter((value) => accepts(schema, value));
  if (right.length === 0 || right.length === kinds.length) throw new Error(`kinds lack a right or a wrong ${def.type}`);
  return right;
}
