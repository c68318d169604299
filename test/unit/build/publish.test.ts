import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { firstError, links, publish } from "../../../build/publish.ts";
import { scratch } from "../../support/scratch.ts";
import { intercept } from "../support/file-functions.ts";

const directory = scratch();

test("a build puts the executable in place before the links that lead to it", () => {
  const stage = join(directory, "stage");
  mkdirSync(join(stage, "bin"), { recursive: true });
  writeFileSync(join(stage, "bin/cni-wrappers"), "");
  const early: unknown[] = [];
  const restore = intercept("renameSync", (actual) => (from, to) => {
    actual(from, to);
    if (!existsSync(join(directory, "bin/cni-wrappers"))) early.push(to);
  });
  publish(stage, directory);
  restore();
  expect(early).toEqual([]);
  expect(readdirSync(join(directory, "bin")).sort()).toEqual(["cni-wrappers", ...links].sort());
});

test.each([
  ["the first line that begins like an error", "warning: x\nerror: no compiler\nerror: x", "", "error: no compiler"],
  ["also with the name of a class", "at x\nTypeError: no function", "", "TypeError: no function"],
  ["of the errors, not of the output", "error: no compiler", "error: an old one", "error: no compiler"],
  ["the first line if none begins so", "\nno compiler\n", "some output", "no compiler"],
  ["the output if there is nothing else", "", "some output", "some output"],
])("why a program failed: %s", (_, stderr, stdout, reason) => {
  const ended = { pid: 1, output: [], status: 1, signal: null };
  expect(firstError({ ...ended, stderr, stdout })).toBe(reason);
});
