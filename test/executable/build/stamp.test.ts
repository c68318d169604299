import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readStamp } from "../../../build/stamp.ts";
import { git, scratch } from "../../support/tree.ts";

const manifest = JSON.stringify({ version: "1.2.3" });

function repository(): { tree: string; head: string } {
  const tree = scratch();
  writeFileSync(join(tree, "package.json"), manifest);
  git(tree, "init", "--quiet");
  git(tree, "add", ".");
  git(tree, "commit", "--quiet", "--message", "first");
  return { tree, head: git(tree, "rev-parse", "HEAD") };
}

test("the stamp is the package's version and the work tree's commit", () => {
  const { tree, head } = repository();
  writeFileSync(join(tree, "untracked"), "");
  const link = join(scratch(), "link");
  symlinkSync(tree, link);
  for (const path of [tree, link]) expect(readStamp(path)).toEqual({ version: "1.2.3", commit: head });
});

test("a tracked file that differs makes the commit dirty", () => {
  const { tree, head } = repository();
  writeFileSync(join(tree, "package.json"), `${manifest}\n`);
  expect(readStamp(tree).commit).toBe(`${head}-dirty`);
});

test("without a repository the commit is unknown", () => {
  const tree = scratch();
  writeFileSync(join(tree, "package.json"), manifest);
  expect(readStamp(tree).commit).toBe("unknown");
});

test("the repository of somebody else around it is not its own", () => {
  const { tree } = repository();
  const inner = join(tree, "unpacked");
  mkdirSync(inner);
  writeFileSync(join(inner, "package.json"), manifest);
  expect(readStamp(inner).commit).toBe("unknown");
});
