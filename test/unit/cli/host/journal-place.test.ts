import { expect, test } from "vitest";
import { journalProblem } from "../../../../cli/host/journal-place.ts";
import { scratch } from "../../../support/scratch.ts";
import { failWith, intercept } from "../../support/file-functions.ts";

const directory = scratch();

test.each([
  ["65,536 bytes are free", { bsize: 4096, bfree: 16, files: 9, ffree: 1 }, undefined],
  ["65,535 bytes are free", { bsize: 1, bfree: 65_535, files: 9, ffree: 1 }, "no space is left on the file system"],
  ["no file can be made", { bsize: 4096, bfree: 16, files: 9, ffree: 0 }, "no space is left on the file system"],
  ["the file system counts no files", { bsize: 4096, bfree: 16, files: 0, ffree: 0 }, undefined],
])("%s", (_, space, problem) => {
  intercept("statfsSync", () => () => space);
  expect(journalProblem(directory)).toBe(problem && `${directory}: ${problem}`);
});

test("a directory where nobody may write is named", () => {
  failWith("EACCES", "accessSync");
  expect(journalProblem(directory)).toBe(`${directory}: permission denied; run the command as root`);
});
