import { readFileSync } from "node:fs";
import type { Metafile } from "esbuild";
import { expect, test } from "vitest";
import { built } from "../../support/tree.ts";

const { core, problem, start } = JSON.parse(readFileSync(built("meta.json"), "utf8")) as Record<string, Metafile>;

/** esbuild also reads files that leave no byte in the bundle (zod's locales, for example). */
function bundled(metafile: Metafile | undefined): string[] {
  return Object.values(metafile?.outputs ?? {})
    .flatMap((output) => Object.entries(output.inputs))
    .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
    .map(([path]) => path.replace(/^.*(?=node_modules\/)/, ""));
}

test("the hot path is the core, the plugins' profiles and what loads the words for faults", () => {
  const [loader, stub] = ["deferred-loader:problem", "deferred-stub:shared/protocol/explain.ts"];
  const others = bundled(core).filter((path) => !/^(shared|plugins)\//.test(path));
  expect(others.filter((path) => path !== loader && path !== stub)).toEqual([]);
  expect(bundled(core)).toContain("shared/host/node/main.ts");
  expect(bundled(core)).toContain("shared/protocol/shapes.ts");
  expect(bundled(core)).not.toContain("shared/protocol/schema.ts");
});

test("what starts the core imports nothing", () => {
  expect(bundled(start)).toEqual(["shared/host/node/start.ts"]);
});

test("the words for faults are the schemas and zod/mini with the part of zod's core below it", () => {
  const allowed = /^shared\/protocol\/|^node_modules\/zod\/(mini|v4\/mini|v4\/core)\//;
  expect(bundled(problem).filter((path) => !allowed.test(path))).toEqual([]);
  expect(bundled(problem)).toContain("shared/protocol/schema.ts");
});

test("nothing of zod's JSON schema, compiler or locales is in it", () => {
  expect(bundled(problem).filter((path) => /json-schema|compile|locales/.test(path))).toEqual([]);
});

const inputs = [core, problem, start].flatMap((metafile) => Object.keys(metafile?.inputs ?? {}));

test.each(["execa", "jq-wasm", "fast-check", "zod/v4/classic", "zod/v3"])("nothing in it imports %s", (name) => {
  expect(inputs.filter((path) => path.includes(`node_modules/${name}/`))).toEqual([]);
});

test("jq is not in the script that every call reads, but in its own", () => {
  const size = Object.values(core?.outputs ?? {}).reduce((sum, { bytes }) => sum + bytes, 0);
  expect(size).toBeLessThan(150_000);
});

test("nothing in it imports the operator's commands, the build or the tests", () => {
  expect(inputs.filter((path) => /^(cli|build|test)\//.test(path))).toEqual([]);
});
