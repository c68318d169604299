import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { expect, test } from "vitest";
import { journalProblem } from "../../../../cli/host/journal-place.ts";
import { scratch } from "../../../support/scratch.ts";

const directory = scratch();

test("a directory can have journals, and so can one that is still to be made", () => {
  expect([journalProblem(directory), journalProblem(join(directory, "a/b"))]).toEqual([undefined, undefined]);
  expect(existsSync(join(directory, "a"))).toBe(false);
});

test("a file in its place, or above it, is named", () => {
  const file = join(directory, "wrappers");
  writeFileSync(file, "");
  expect([journalProblem(file), journalProblem(join(file, "a"))]).toEqual([
    `${file}: is not a directory`,
    `${file}: is not a directory`,
  ]);
});

// /proc has no free blocks, and only root may write there.
test("a file system without space, and a directory where nobody may write, are named", () => {
  const problem =
    process.getuid?.() === 0 ? "no space is left on the file system" : "permission denied; run the command as root";
  expect(journalProblem("/proc/nothing")).toBe(`/proc: ${problem}`);
});
