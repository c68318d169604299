import { expect, test } from "vitest";
import { Notes } from "../../support/notes.ts";

test("a note has a number, and one number for every cell that has it", () => {
  const notes = new Notes();
  expect(notes.mark("fails", "first")).toBe("fails (1)");
  expect(notes.mark("passes")).toBe("passes");
  expect(notes.mark("no", "second", "first")).toBe("no (2, 1)");
  expect(notes.list()).toBe("1. first\n2. second");
});
