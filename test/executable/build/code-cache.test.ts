import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Script } from "node:vm";
import { execa } from "execa";
import { afterEach, beforeAll, expect, test, vi } from "vitest";
import { bundleForNode } from "../../../build/bundle.ts";
import { writeCodeCache } from "../../../build/code-cache.ts";
import { findNode } from "../../../build/executable.ts";
import { root, scratch } from "./tree.ts";

let core = Buffer.alloc(0);

beforeAll(async () => {
  const { scripts } = (await bundleForNode(root, { version: "0.0.0", commit: "unknown" })).core;
  core = Buffer.from(scripts.core ?? "");
});

afterEach(() => void vi.unstubAllEnvs());

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

test("an executable takes it, whatever NODE_OPTIONS of its builder or its caller are", async () => {
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
  const assets = { core: join(directory, "core.cjs"), "core.cache": codeCache(core) };
  // Not in this process: pkg's modules are loaded as Node loads them.
  const make = `import { makeExecutable } from ${JSON.stringify(join(root, "build/executable.ts"))};
    await makeExecutable(${[script, output, assets].map((given) => JSON.stringify(given)).join(", ")});`;
  await execa(process.execPath, ["--input-type=module", "--eval", make], { env: { NODE_OPTIONS: "" } });
  const { stdout } = await execa(output, { env: { NODE_OPTIONS: "--stack-trace-limit=50" }, extendEnv: false });
  expect(stdout).toBe("false\ntrue");
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
  [
    "would spawn the plugin",
    "(function (require) { require('node:child_process').spawnSync('/bin/true') })",
    "rather spawn the plugin",
  ],
])("of a core that %s there is none", (_, script, why) => {
  expect(() => codeCache(script)).toThrow(/^the code cache cannot be made: [^\n]+$/);
  expect(() => codeCache(script)).toThrow(why);
});
