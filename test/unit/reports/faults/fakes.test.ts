import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { fakeFaults } from "../../../reports/faults/fakes.ts";

test.each(fakeFaults)("$fault: its test exists", ({ file, title }) => {
  const source = readFileSync(path.resolve(import.meta.dirname, "../../..", file), "utf8");
  expect(source).toContain(`"${title}"`);
});
