import { expect, test } from "vitest";
import { lintPage } from "../../support/lint-page.ts";
import { readSection } from "../../support/page-section.ts";

test("docs/lint.md has all rules and what lint says about them (npm run lint-page -- --write)", () => {
  expect(readSection("lint")).toBe(lintPage());
});
