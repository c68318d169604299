import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Script } from "node:vm";
import { beforeAll, expect, test } from "vitest";
import { bundleForNode } from "../../../build/bundle.ts";
import { writeCodeCache } from "../../../build/code-cache.ts";
import { findNode } from "../../../build/executable.ts";
import { root, scratch } from "./tree.ts";

let core = Buffer.alloc(0);

beforeAll(async () => {
  const { scripts } = (await bundleForNode(root, { version: "0.0.0", commit: "unknown" })).core;
  core = Buffer.from(scripts.core ?? "");
});

/** Makes a code cache of a script; its file. */
function codeCache(script: Buffer | string): string {
  const [directory, work] = [scratch(), scratch()];
  writeFileSync(join(directory, "core.cjs"), script);
  writeCodeCache(findNode().path, join(directory, "core.cjs"), join(directory, "core.cache"), work);
  return join(directory, "core.cache");
}

test("V8 takes it, and it is the same each time", () => {
  const [one = Buffer.alloc(0), other] = [codeCache(core), codeCache(core)].map((file) => readFileSync(file));
  expect(other).toEqual(one);
  const isRejected = (source: string) => new Script(source, { filename: "core", cachedData: one }).cachedDataRejected;
  expect([isRejected(`${core}`), isRejected(`${core} `)]).toEqual([false, true]);
});

test("it has more than V8 compiles before anything has run", () => {
  // Another text than before: V8 remembers what it has compiled.
  const before = new Script(`${core}\n`, { filename: "core" }).createCachedData();
  expect(readFileSync(codeCache(core)).length).toBeGreaterThan(2 * before.length);
});

test.each([
  ["fails", "(function () { throw new Error('no core') })", "no core"],
  ["answers by itself", "(function (require, process) { console.log('here'); process.exit(1) })", "here"],
  ["does nothing", "(function () {})", "no such file"],
])("of a core that %s there is none", (_, script, why) => {
  expect(() => codeCache(script)).toThrow(/^the code cache cannot be made: /);
  expect(() => codeCache(script)).toThrow(why);
});
