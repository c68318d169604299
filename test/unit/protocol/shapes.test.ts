import { describe, expect, test } from "vitest";
import { explainConfiguration, explainResult, explainWrapper } from "../../../shared/protocol/explain.ts";
import { configurationProblem, resultShapeProblem, wrapperProblem } from "../../../shared/protocol/problem.ts";
import { configurationSchema, logSchema, resultSchema, wrapperSchema } from "../../../shared/protocol/schema.ts";
import { isConfiguration, isResult, isWrapper, logKeys, wrapperKeys } from "../../../shared/protocol/shapes.ts";
import fc from "../support/fast-check.ts";
import { accepts, fullValue, keyPaths, kinds, pathsIn, replaced, rightValues } from "../support/schema-values.ts";

const shapes = [
  { name: "configuration", isRight: isConfiguration, schema: configurationSchema() },
  { name: "wrapper", isRight: isWrapper, schema: wrapperSchema() },
  { name: "result", isRight: isResult, schema: resultSchema() },
];

describe.each(shapes)("the check of a $name agrees with its schema", ({ isRight, schema }) => {
  const right = rightValues(schema);
  const full = fullValue(schema);

  test("on valid values", () => {
    fc.assert(
      fc.property(right, (value) => {
        expect([isRight(value), accepts(schema, value)]).toEqual([true, true]);
      }),
      { numRuns: 2000 },
    );
  });

  test("on values with one or two changes", () => {
    const change = fc.tuple(fc.nat(), fc.constantFrom(undefined, ...kinds));
    const seen = { right: 0, wrong: 0 };
    fc.assert(
      fc.property(right, fc.array(change, { minLength: 1, maxLength: 2 }), (value, changes) => {
        const changed = changes.reduce((before, [number, other]) => {
          const paths = pathsIn(before);
          return replaced(before, paths[number % paths.length] ?? [], other);
        }, value);
        const expected = accepts(schema, changed);
        expect(isRight(changed)).toBe(expected);
        seen[expected ? "right" : "wrong"]++;
      }),
      { numRuns: 5000 },
    );
    expect(Math.min(seen.right, seen.wrong) / (seen.right + seen.wrong)).toBeGreaterThan(0.05);
  });

  test("on every kind of value in every place", () => {
    expect(isRight(full)).toBe(true);
    for (const path of pathsIn(full)) {
      for (const kind of [undefined, ...kinds]) {
        const value = replaced(full, path, kind);
        expect([path, kind, isRight(value)]).toEqual([path, kind, accepts(schema, value)]);
      }
    }
  });

  test("and has no key that the schema does not have", () => {
    // A function of options.ts checks the values inside these two, also for the schema.
    const read = keysRead(isRight, full).filter((path) => !/^\.(args|ports)\./.test(path));
    expect(read.sort()).toEqual(keyPaths(schema).sort());
  });
});

/** The paths of the keys that a check reads. */
function keysRead(check: (value: unknown) => boolean, value: unknown): string[] {
  const seen = new Set<string>();
  const watched = (target: unknown, path: string): unknown => {
    if (typeof target !== "object" || target === null) return target;
    return new Proxy(target, {
      get(object, key) {
        const found: unknown = Reflect.get(object, key);
        if (Array.isArray(object)) return /^\d+$/.test(String(key)) ? watched(found, `${path}.[]`) : found;
        seen.add(`${path}.${String(key)}`);
        return watched(found, `${path}.${String(key)}`);
      },
    });
  };
  check(watched(value, ""));
  return [...seen];
}

test("the known keys are those of the schemas, in the same order", () => {
  expect(wrapperKeys).toEqual(Object.keys(wrapperSchema().shape));
  expect(logKeys).toEqual(Object.keys(logSchema().shape));
});

describe("zod words the problem", () => {
  test.each([
    ["configuration", configurationProblem({ name: 7 }), explainConfiguration({ name: 7 })],
    ["wrapper", wrapperProblem({ role: 7 }), explainWrapper({ role: 7 })],
    ["result", resultShapeProblem({ ips: 7 }, "prevResult"), explainResult({ ips: 7 }, "prevResult")],
  ])("%s", (_, problem, words) => {
    expect(words).toMatch(/must/);
    expect(problem).toBe(words);
  });

  test("a valid value has no problem", () => {
    expect(configurationProblem({ name: "zone" })).toBeUndefined();
    expect(wrapperProblem({})).toBeUndefined();
    expect(resultShapeProblem({}, "prevResult")).toBeUndefined();
  });
});
