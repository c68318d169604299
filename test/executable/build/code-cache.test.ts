import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Script } from "node:vm";
import { execa } from "execa";
import { afterEach, beforeAll, expect, test, vi } from "vitest";
import { bundleForNode } from "../../../build/bundle.ts";
import { makeExecutable, writeCodeCache } from "../../../build/executable.ts";
import { root, scratch } from "../../support/tree.ts";

let [core, cli] = [Buffer.alloc(0), Buffer.alloc(0)];

beforeAll(async () => {
  const bundles = await bundleForNode(root, { version: "0.0.0", commit: "unknown" });
  [core, cli] = [Buffer.from(bundles.core.scripts.core ?? ""), Buffer.from(bundles.cli.scripts.cli ?? "")];
});

afterEach(() => void vi.unstubAllEnvs());

function codeCache(script: Buffer | string): string {
  const directory = scratch();
  const [file, cache] = [join(directory, "core.cjs"), join(directory, "core.cache")];
  writeFileSync(file, script);
  writeCodeCache(file, cache);
  return cache;
}

test.each(["core", "cli"])("V8 takes that of %s, and it is the same each time", (name) => {
  const script = name === "core" ? core : cli;
  const [one = Buffer.alloc(0), other] = [codeCache(script), codeCache(script)].map((file) => readFileSync(file));
  expect(other?.equals(one)).toBe(true);
  const isRejected = (source: string) => new Script(source, { filename: name, cachedData: one }).cachedDataRejected;
  expect([isRejected(script.toString("latin1")), isRejected(`${core} `)]).toEqual([false, true]);
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
