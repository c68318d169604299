import { expect, test } from "vitest";
import { makeCaller } from "../../reports/settings/caller.ts";
import { together } from "../../reports/settings/table.ts";
import { root, scratch } from "../../support/tree.ts";

const script = ["npm", "run", "--silent", "test:only", "--", "--project", "unit", "--project", "executable"];
const files = ["test/unit/about.test.ts", "test/executable/temporary-files.test.ts"];

// npm run test:settings has each setting alone, with the builds and more cases.
test("the npm scripts pass for somebody who has all settings at once", { timeout: 120_000 }, async () => {
  const { exitCode, all } = await makeCaller(together, scratch())(root, ...script, ...files);
  expect(all).toMatch(/Test Files .*2 passed/);
  expect(exitCode).toBe(0);
});
