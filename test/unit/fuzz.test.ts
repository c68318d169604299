import { rmSync } from "node:fs";
import { basename, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readFound, root } from "../fuzz/found.ts";
import { Hits } from "../fuzz/hits.ts";
import { problemOf, search } from "../fuzz/search.ts";
import { bundled, codeWithPoints, type Target, targetsOf, tests } from "../fuzz/targets.ts";
import fc from "./support/fast-check.ts";

// `npm run test:fuzz` searches 1,000,000 inputs.

const limit = Error.stackTraceLimit;
beforeAll(() => {
  Error.stackTraceLimit = 0;
});
afterAll(() => {
  Error.stackTraceLimit = limit;
});

const found = readFound();

describe("values for which a property failed once", async () => {
  const files = [...new Set(found.map((one) => one.test))];
  const all = await Promise.all((await bundled(files)).map((bundle) => targetsOf(bundle, () => false)));
  test.each(found)("$file: $property", ({ test, property, value }) => {
    const target = all.flat().find((one) => one.test === test && one.name === property);
    expect(target, `${test} has no such property`).toBeDefined();
    expect(target && problemOf(target.property, value)).toBeUndefined();
  });
});

describe("a value that breaks a property of a unit test", () => {
  const broken = (value: unknown) => () => fc.assert(fc.property(fc.constant(value), () => false));

  test("becomes a fixture, once", () => {
    const before = readFound();
    expect(broken([7, new Uint8Array([97])])).toThrow(/seed: -?\d+.*Wrote .*\.$/s);
    expect(broken([7, new Uint8Array([97])])).toThrow(/seed: -?\d+/);
    const [one, ...others] = readFound().filter(({ file }) => !before.some((other) => other.file === file));
    rmSync(join(root, "test/fixtures/found", one?.file ?? ""));
    expect(others).toEqual([]);
    expect(one).toMatchObject({ test: "test/unit/fuzz.test.ts", property: expect.stringMatching(/> becomes a fix/) });
    expect(one?.value).toEqual([[7, new Uint8Array([97])]]);
  });

  test("is told with its seed if JSON cannot keep it", () => {
    expect(broken(undefined)).toThrow(/seed: -?\d+.*only the seed repeats it\.$/s);
  });
});

describe("the search", async () => {
  const file = "test/unit/properties/narrow.test.ts";
  const { mutants, sources } = codeWithPoints();
  let [hits, fault] = [new Hits(mutants.length), -1];
  const hit = (point: number) => {
    hits.hit(point);
    return point === fault;
  };
  const [bundle] = await bundled([file], sources);
  const [target] = bundle ? await targetsOf(bundle, hit) : [];

  const searched = (seed: number, mutant = -1) => {
    [hits, fault] = [new Hits(mutants.length), mutant];
    return search((target as Target).property, hits, { seed, count: 100, report: () => {} });
  };

  test("finds most small faults in narrow.ts, and shrinks their values", () => {
    const own = mutants.filter(({ id, file }) => basename(file) === "narrow.ts" && id % 3 === 0);
    const failures = own.flatMap(({ id }) => searched(1, id).failure ?? []);
    expect(failures.length).toBeGreaterThan(own.length / 2);
    for (const { value } of failures) expect(JSON.stringify(value).length).toBeLessThan(1000);
  });

  test("is the same for the same seed, and another for another", () => {
    const [one, again] = [searched(1), searched(1)];
    expect(again).toEqual(one);
    // Some searches find as much by chance.
    const others = [2, 3, 4, 5, 6].map((seed) => searched(seed));
    expect(others).not.toEqual(others.map(() => one));
    expect(one).toMatchObject({ inputs: 100 });
    expect(one.points).toBeGreaterThan(100);
  });
});

test("every test file of the search has properties", async () => {
  const all = await Promise.all((await bundled(tests)).map((bundle) => targetsOf(bundle, () => false)));
  expect(all.map((targets) => targets.length)).not.toContain(0);
  expect(all.flat().length).toBeGreaterThan(30);
});
