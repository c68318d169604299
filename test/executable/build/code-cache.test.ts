import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Script } from "node:vm";
import { execa } from "execa";
import { afterEach, beforeAll, expect, test, vi } from "vitest";
import { bundleForNode } from "../../../build/bundle.ts";
import { makeExecutable, writeCodeCache } from "../../../build/executable.ts";
import { root, scratch } from "../../support/tree.ts";

let core = Buffer.alloc(0);

beforeAll(async () => {
  const { scripts } = (await bundleForNode(root, { version: "0.0.0", commit: "unknown" })).core;
  core = Buffer.from(scripts.core ?? "");
});

afterEach(() => void vi.unstubAllEnvs());

function codeCache(script: Buffer | string): string {
  const directory = scratch();
  const [file, cache] = [join(directory, "core.cjs"), join(directory, "core.cache")];
  writeFileSync(file, script);
  writeCodeCache(file, cache);
  return cache;
}

test("V8 takes it, and it is the same each time", () => {
  const [one = Buffer.alloc(0), other] = [codeCache(core), codeCache(core)].map((file) => readFileSync(file));
  expect(other).toEqual(one);
  const isRejected = (source: string) => new Script(source, { filename: "core", cachedData: one }).cachedDataRejected;
  expect([isRejected(`${core}`), isRejected(`${core} `)]).toEqual([false, true]);
});

test("an executable takes it, whatever NODE_OPTIONS of its builder or its caller are", {
  timeout: 120_000,
}, async () => {
  vi.stubEnv("NODE_OPTIONS", "--stack-trace-limit=50");
  const directory = scratch();
  const [script, output] = [join(directory, "start.cjs"), join(directory, "out")];
  writeFileSync(join(directory, "core.cjs"), core);
  writeFileSync(
    script,
    `const { getRawAsset: asset } = require("node:sea");
    const [source, cachedData] = ["core", "core.cache"].map((name) => Buffer.from(asset(name)));
    const { Script } = require("node:vm");
    console.log(new Script(source.toString("latin1"), { filename: "core", cachedData }).cachedDataRejected);
    console.log(new Script(source + " ", { filename: "core", cachedData }).cachedDataRejected);`,
  );
  makeExecutable(script, output, { core: join(directory, "core.cjs"), "core.cache": codeCache(core) });
  const { stdout } = await execa(output, { env: { NODE_OPTIONS: "--stack-trace-limit=50" }, extendEnv: false });
  expect(stdout).toBe("false\ntrue");
});

test("it has functions that nothing has called", () => {
  // Not the same text as before: V8 remembers compiled code.
  const before = new Script(`${core}\n`, { filename: "core" }).createCachedData();
  expect(readFileSync(codeCache(core)).length).toBeGreaterThan(4 * before.length);
});

test("a script with a syntax error is refused", () => {
  expect(() => codeCache("(function () {")).toThrow(/^the executable cannot be made: SyntaxError: [^\n]+$/);
});
