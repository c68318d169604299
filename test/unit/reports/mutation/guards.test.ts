import { expect, test } from "vitest";
import { guardsOf, mutantsAt } from "../../../reports/mutation/guards.ts";
import { mutantsOf } from "../../../reports/mutation/mutants.ts";

const source = `
// guard: the file of another
if (a && b(1)) remove("x");
if (c) remove(1); // guard: what is older
if (d) remove(2);
`;

test("a guard is the condition on the comment's line or the next, with its mutants", () => {
  const mutants = mutantsOf("cli/one.ts", source);
  const guards = guardsOf("cli/one.ts", source);
  expect(guards).toEqual([
    { file: "cli/one.ts", line: 3, keeps: "the file of another" },
    { file: "cli/one.ts", line: 4, keeps: "what is older" },
  ]);
  const changes = guards.map((guard) => mutantsAt(guard, mutants).map(({ replacement }) => replacement));
  expect(changes).toEqual([
    ["a || b(1)", "a", "b(1)"],
    ["true", "false"],
  ]);
});
