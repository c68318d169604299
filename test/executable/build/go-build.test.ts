import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { parse } from "yaml";
import { root, scratch, writeScript } from "../../support/tree.ts";

afterEach(() => vi.unstubAllEnvs());

/** Builds a module with a program instead of Go, and returns its runs, each with the toolchain that it was asked for. */
async function runsFor(goMod: string): Promise<readonly string[]> {
  const [directory, module] = [scratch(), scratch()];
  const log = join(directory, "log");
  writeScript(
    join(directory, "go"),
    `echo "$1 \${GOTOOLCHAIN:-any}" >>${log}
     case $1 in env) printf 'go1\\nlinux\\namd64\\n' ;; *) while [ "$1" != -o ]; do shift; done; mkdir -p "$2" ;; esac`,
  );
  writeFileSync(join(module, "go.mod"), goMod);
  vi.stubEnv("PATH", `${directory}:${process.env.PATH}`);
  vi.stubEnv("XDG_CACHE_HOME", directory);
  vi.stubEnv("GOTOOLCHAIN", undefined);
  vi.resetModules();
  const { built } = await import("../../../build/go-build.ts");
  await built({ title: "it", module, packages: ["."], ldflags: "" });
  return readFileSync(log, "utf8").trim().split("\n");
}

test("a module with a line toolchain is built by exactly that one", async () => {
  expect(await runsFor("module a\n\ngo 1.25.0\n\ntoolchain go1.26.8\n")).toEqual(["env go1.26.8", "build go1.26.8"]);
});

test("a module without one is built by the Go that is there", async () => {
  expect(await runsFor("module a\n\ngo 1.25.0\n")).toEqual(["env any", "build any"]);
});

test("the compiler of nfpm is pinned, and a release gets the same one", () => {
  const file = "build/packages/nfpm/go.mod";
  expect(readFileSync(join(root, file), "utf8")).toMatch(/^toolchain go\d+\.\d+\.\d+$/m);
  const { jobs } = parse(readFileSync(join(root, ".github/workflows/release.yml"), "utf8"));
  const steps: { uses?: string; with?: object }[] = jobs.build.steps;
  const [go] = steps.filter(({ uses }) => uses?.startsWith("actions/setup-go@"));
  expect(go?.with).toEqual({ "go-version-file": file, cache: false });
});
