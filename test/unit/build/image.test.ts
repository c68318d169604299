import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { insertImage } from "../../../build/slim/image.ts";
import { scratch } from "../../support/scratch.ts";

const file = join(scratch(), "executable");
const magic = "cni-wrappers-img";

test("the heap image takes its place in the executable", () => {
  writeFileSync(file, `head ${magic} old tail`);
  insertImage(file, ["printf", "%s", `${magic} new`]);
  expect(readFileSync(file, "utf8")).toBe(`head ${magic} new tail`);
});

test.each([
  ["has no place for it", "head tail", `${magic} new`],
  ["has two places for it", `${magic} old ${magic} old`, `${magic} new`],
  ["has a place that is too small", `head ${magic} old`, `${magic} longer`],
  ["writes something else first", `head ${magic} old`, `warning ${magic} new`],
])("no image is put into an executable that %s", (_, content, image) => {
  writeFileSync(file, content);
  expect(() => insertImage(file, ["printf", "%s", image])).toThrow("no place for its heap image");
  expect(readFileSync(file, "utf8")).toBe(content);
});
