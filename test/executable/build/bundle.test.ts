import { readFileSync } from "node:fs";
import type { Metafile } from "esbuild";
import { expect, test } from "vitest";
import { built } from "./tree.ts";

const { inputs, outputs } = JSON.parse(readFileSync(built("meta.json"), "utf8")) as Metafile;

/** Files that esbuild only looked at on the way (zod's locales, say) leave no byte behind. */
const bundled = Object.values(outputs)
  .flatMap((output) => Object.entries(output.inputs))
  .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
  .map(([path]) => path);

test("the hot path is the core, the plugins' profiles and zod/mini with the part of zod's core below it", () => {
  const allowed = /^(shared|plugins)\/|^node_modules\/zod\/(mini|v4\/mini|v4\/core)\//;
  expect(bundled.filter((path) => !allowed.test(path))).toEqual([]);
  expect(bundled).toContain("shared/host/node/main.ts");
});

test("nothing of zod's JSON schema, compiler or locales is in it", () => {
  expect(bundled.filter((path) => /json-schema|compile|locales/.test(path))).toEqual([]);
});

test.each(["execa", "jq-wasm", "fast-check", "zod/v4/classic", "zod/v3"])("nothing in it imports %s", (name) => {
  expect(Object.keys(inputs).filter((path) => path.startsWith(`node_modules/${name}/`))).toEqual([]);
});

test("jq is not in the script that every call reads, but beside it", () => {
  const size = Object.values(outputs).reduce((sum, { bytes }) => sum + bytes, 0);
  expect(size).toBeLessThan(150_000);
});

test("nothing in it imports the operator's commands, the build or the tests", () => {
  expect(Object.keys(inputs).filter((path) => /^(cli|build|test)\//.test(path))).toEqual([]);
});
