import { createHash } from "node:crypto";
import { appendFileSync, lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { buildIn, copyOfTree, root } from "../../support/tree.ts";

const timeout = 120_000;

const build = (tree: string) => buildIn(tree, "build/build.ts", { NODE_OPTIONS: "--stack-trace-limit=50" });

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

test("a build in another directory gives the same bytes, and one that fails leaves them", { timeout }, async () => {
  const tree = copyOfTree();
  // An installation in that folder left the one, an earlier build the other.
  mkdirSync(join(tree, "dist/bin/.cni-wrappers"), { recursive: true });
  symlinkSync("cni-wrappers", join(tree, "dist/bin/gone-wrapper"));
  expect(await build(tree)).toMatchObject({ exitCode: 0, stderr: "" });
  const made = contents(tree);
  expect(made["bin/cni-wrappers"]).toMatch(/^[0-9a-f]{64}$/);
  const before = Object.entries(contents(root)).filter(([name]) => /^(bin|npm|meta\.json)(\/|$)/.test(name));
  expect(made, "dist was built from other sources: npm run build").toEqual(Object.fromEntries(before));

  appendFileSync(join(tree, "shared/host/node/main.ts"), 'import "./missing.ts";\n');
  const { exitCode, stderr } = await build(tree);
  expect(exitCode).toBe(1);
  expect(stderr).toContain('Could not resolve "./missing.ts"');
  expect(contents(tree)).toEqual(made);
});
