import { createHash } from "node:crypto";
import { appendFileSync, lstatSync, readdirSync, readFileSync, readlinkSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { execa } from "execa";
import { expect, test } from "vitest";
import { copyOfTree } from "../../support/tree.ts";

const timeout = 120_000;

function build(tree: string) {
  return execa({ cwd: tree, reject: false })`${process.execPath} build/build.ts`;
}

/** Every name in `dist` with its kind: a folder, a link and its target, a file's hash. */
function contents(tree: string): Record<string, string> {
  const dist = join(tree, "dist");
  const names = readdirSync(dist, { recursive: true, encoding: "utf8" }).sort();
  return Object.fromEntries(names.map((name) => [name, describe(join(dist, name))]));
}

function describe(path: string): string {
  const file = lstatSync(path);
  if (file.isDirectory()) return "folder";
  if (file.isSymbolicLink()) return `-> ${readlinkSync(path)}`;
  return createHash("sha256").update(readFileSync(path)).digest("hex");
}

test("building twice, in two directories, gives the same bytes", { timeout }, async () => {
  const trees = [copyOfTree(), copyOfTree()] as const;
  for (const tree of trees) expect(await build(tree)).toMatchObject({ exitCode: 0, stderr: "" });
  const [first, second] = trees.map(contents);
  expect(second?.["bin/cni-wrappers"]).toMatch(/^[0-9a-f]{64}$/);
  expect(second).toEqual(first);
});

test("a build that fails leaves the earlier one whole, and no other trace", { timeout }, async () => {
  const tree = copyOfTree();
  await build(tree);
  const before = contents(tree);
  appendFileSync(join(tree, "shared/host/node/main.ts"), 'import "./missing.ts";\n');
  const { exitCode, stderr } = await build(tree);
  expect(exitCode).toBe(1);
  expect(stderr).toContain('Could not resolve "./missing.ts"');
  expect(contents(tree)).toEqual(before);
});

test("what an earlier build left and this one does not make is gone", { timeout }, async () => {
  const tree = copyOfTree();
  await build(tree);
  const before = contents(tree);
  symlinkSync("cni-wrappers", join(tree, "dist/bin/gone-wrapper"));
  await build(tree);
  expect(contents(tree)).toEqual(before);
});
