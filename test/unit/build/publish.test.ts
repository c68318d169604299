import { expect, test } from "vitest";
import { firstError } from "../../../build/publish.ts";

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
