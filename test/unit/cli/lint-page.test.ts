import { expect, test } from "vitest";
import { readSection } from "../../../build/docs/page-section.ts";
import { lintPage } from "../../support/lint-page.ts";

test("docs/lint.md has all rules and what lint says about them (npm run lint-page -- --write)", () => {
  expect(readSection("lint")).toBe(lintPage());
});
