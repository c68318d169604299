import { globSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { commandTests, hostTests } from "../../support/flavors.ts";

const root = join(import.meta.dirname, "../../..");

test("the end-to-end tests of one flavor are files that exist: vitest passes over a name that it does not find", () => {
  const files = globSync("test/e2e/*.test.ts", { cwd: root });
  expect(files.length).toBeGreaterThan(40);
  expect([...commandTests, ...hostTests].filter((file) => !files.includes(file))).toEqual([]);
});
