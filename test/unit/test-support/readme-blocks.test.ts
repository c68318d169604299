import { expect, test } from "vitest";
import { blocksOf, isShown } from "../../nomad/readme-blocks.ts";

const fence = "```";
const page = `# Title

## One

${fence}sh
first --option
# it says this
${fence}

1. In a list:
   ${fence}sh
   cd somewhere && second
   # ...
   #   and this
   ${fence}

${fence}json
{}
${fence}
`;

test("a block has the heading above, its commands, and what they print", () => {
  expect(blocksOf(page)).toEqual([
    { section: "One", commands: "first --option", shown: "it says this" },
    { section: "One", commands: "cd somewhere && second", shown: "...\n  and this" },
  ]);
});

test("a block that does not say what its commands print is refused", () => {
  expect(() => blocksOf(page.replace("# it says this\n", ""))).toThrow("does not say what its commands print:\nfirst");
});

test.each([
  ["a.b", "axb\n"],
  ["a ... c", "a b\nb c\n"],
  ["last", "first\nlast\n"],
  ["first", "first\nlast\n"],
  ["...\nlast", "last of all\n"],
  ["zone 2 0", "zone 2 1\n"],
  ["(nothing)", "an error\n"],
  ["...\nno\n...", "nothing\n"],
])("%j does not show %j", (shown, output) => {
  expect(isShown(shown, output)).toBe(false);
});
