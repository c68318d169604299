import { describe, expect, test } from "vitest";
import { readSection, withSection } from "../../../../build/docs/page-section.ts";

const text = `# Title

<!-- one: npm run one -->
old
lines
<!-- /one -->

<!-- two: npm run two -->
<!-- /two -->
`;

describe("a section between marks", () => {
  test("is replaced, and nothing else", () => {
    expect(withSection(text, "one", "\nnew\n\n")).toBe(text.replace("old\nlines", "new"));
  });

  test("may be empty before", () => {
    expect(withSection(text, "two", "new")).toBe(text.replace("two -->\n", "two -->\nnew\n"));
  });

  test("may hold what looks like a replacement pattern", () => {
    expect(withSection(text, "one", "$& $1 $$")).toContain("\n$& $1 $$\n");
  });

  test.each([
    ["is missing", text.replace("<!-- /one -->\n", ""), "0 marks <!-- /one --> instead of one"],
    [
      "is there twice",
      text.replace("two: npm run two", "one: npm run two"),
      "2 marks <!-- one: ... --> instead of one",
    ],
    [
      "is at the wrong end",
      text.replace("<!-- /one -->\n", "").replace("# Title", "<!-- /one -->"),
      "the mark /one comes before one: ...",
    ],
  ])("is refused when a mark %s", (_, wrong, message) => {
    expect(() => withSection(wrong, "one", "new")).toThrow(message);
  });
});

const names = [
  ...(["matrix", "compare", "bench", "plugins", "other-plugins", "runtimes", "errors", "lint", "release"] as const),
  ...(["conformance", "hardening", "mutation", "guards", "conformance-cases", "upstream"] as const),
];

test.each(names)("the page of %s has its section, with something in it", (name) => {
  expect(readSection(name).trim()).not.toBe("");
});
