import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Metafile } from "esbuild";
import { expect, test } from "vitest";
import { bundleForConformance } from "../../../build/bundle.ts";
import { built, scratch } from "../../support/tree.ts";

const { core, start } = JSON.parse(readFileSync(built("meta.json"), "utf8")) as Record<string, Metafile>;

/** esbuild also reads files that leave no byte in the bundle. */
function bundled(metafile: Metafile | undefined): string[] {
  return Object.values(metafile?.outputs ?? {})
    .flatMap((output) => Object.entries(output.inputs))
    .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
    .map(([path]) => path.replace(/^.*(?=node_modules\/)/, ""));
}

test("the hot path is the core and the plugins' profiles", () => {
  expect(bundled(core).filter((path) => !/^(shared|plugins)\//.test(path))).toEqual([]);
  expect(bundled(core)).toContain("shared/host/node/main.ts");
  expect(bundled(core)).toContain("shared/protocol/shapes.ts");
});

test("what starts the core imports nothing", () => {
  expect(bundled(start)).toEqual(["shared/host/node/start.ts"]);
});

const inputs = [core, start].flatMap((metafile) => Object.keys(metafile?.inputs ?? {}));

test.each(["execa", "jq-wasm", "fast-check", "zod"])("nothing in it imports %s", (name) => {
  expect(inputs.filter((path) => path.includes(`node_modules/${name}/`))).toEqual([]);
});

test("jq is not in the script that every call reads, but in its own", () => {
  const size = Object.values(core?.outputs ?? {}).reduce((sum, { bytes }) => sum + bytes, 0);
  expect(size).toBeLessThan(150_000);
});

test("nothing in it imports the operator's commands, the build or the tests", () => {
  expect(inputs.filter((path) => /^(cli|build|test)\//.test(path))).toEqual([]);
});

test("a warning of esbuild stops the build: what it warns of fails on a user's host", async () => {
  const root = scratch();
  mkdirSync(join(root, "conformance"));
  writeFileSync(join(root, "conformance/main.ts"), "console.log(import.meta.url);\n");
  const bundled = bundleForConformance(root, { version: "1.2.3", commit: "unknown" });
  await expect(bundled).rejects.toThrow('"import.meta" is not available');
});
