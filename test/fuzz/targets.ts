import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Script } from "node:vm";
import fc from "fast-check";
import { type Bundle, bundlesOf, root } from "../reports/mutation/bundle.ts";
import { instrumented, switchName } from "../reports/mutation/instrument.ts";
import { type Mutant, mutantsOf } from "../reports/mutation/mutants.ts";
import { type Case, testApi } from "../reports/mutation/test-api.ts";

/** A property of a test file. */
export interface Target {
  readonly test: string;
  /** The name of its test. */
  readonly name: string;
  readonly property: fc.IRawProperty<unknown>;
}

/** The test files whose properties are searched. */
export const tests = [
  ...globSync("test/unit/properties/*.test.ts", { cwd: root }),
  "test/unit/cli/new/subnets.test.ts",
  "test/unit/cli/wrap/text.test.ts",
  "test/unit/protocol/shapes.test.ts",
]
  // jq, the oracle of this file, takes milliseconds for each value.
  .filter((test) => !test.endsWith("/workaround.test.ts"))
  .sort();

/**
 * The code that leads the search. The mutants' switches in it are its points: each says that it was passed. Of the host, only
 * the code that decides about files' owners has properties.
 */
const guiding = { files: ["shared/**/*.ts", "cli/**/*.ts"], without: /^shared\/host\/(?!node\/files\.ts$)/ };

/** The code with its points: the mutants, and each source with a switch for each of them. */
export function codeWithPoints(): { mutants: readonly Mutant[]; sources: ReadonlyMap<string, string> } {
  const sources = new Map<string, string>();
  const mutants: Mutant[] = [];
  for (const file of globSync(guiding.files, { cwd: root }).sort()) {
    if (guiding.without.test(file)) continue;
    const source = readFileSync(join(root, file), "utf8");
    const own = mutantsOf(file, source, mutants.length);
    mutants.push(...own);
    sources.set(join(root, file), instrumented(source, own));
  }
  return { mutants, sources };
}

/** Bundles test files with the code that they test. */
export function bundled(files: readonly string[], sources: ReadonlyMap<string, string> = new Map()): Promise<Bundle[]> {
  return bundlesOf(files, sources);
}

/** fast-check's `assert` in a bundle: it hands over the property instead. `check` is for a twin that must fail: no target. */
class Given extends Error {
  readonly property: fc.IRawProperty<unknown>;

  constructor(property: fc.IRawProperty<unknown>) {
    super("a property");
    this.property = property;
  }
}

/** Finds the properties of a bundle. `hit` is called for each point that is passed. If it returns true, the mutant is on. */
export async function targetsOf(
  { test, script, required }: Bundle,
  hit: (point: number) => boolean,
): Promise<readonly Target[]> {
  const modules = new Map<string, unknown>();
  for (const name of required) if (name !== "vitest") modules.set(name, await import(name));
  const assert = (property: fc.IRawProperty<unknown>) => {
    throw new Given(property);
  };
  const check = () => {
    throw new Error("a twin");
  };
  const cases: Case[] = [];
  modules.set("fast-check", { ...fc, assert, check, configureGlobal: () => {} }).set("vitest", testApi(cases));
  const wrapped = `(function (require, module, exports, ${switchName}) { ${script}\n})`;
  const declare = new Script(wrapped, { filename: join(root, `${test}.js`) }).runInThisContext();
  const module = { exports: {} };
  declare((name: string) => modules.get(name), module, module.exports, hit);
  return named(test, cases);
}

function named(test: string, cases: readonly Case[]): readonly Target[] {
  const count = new Map<string, number>();
  return cases.flatMap(({ name, run }) => {
    const property = propertyOf(run);
    if (!property) return [];
    const number = (count.get(name) ?? 0) + 1;
    count.set(name, number);
    return { test, name: number === 1 ? name : `${name} (${number})`, property };
  });
}

function propertyOf(run: () => unknown): fc.IRawProperty<unknown> | undefined {
  try {
    run();
  } catch (error) {
    if (error instanceof Given) return error.property;
  }
  // A test without a property. Its outcome does not matter here.
  return undefined;
}
