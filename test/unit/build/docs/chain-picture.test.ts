import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { chainPicture } from "../../../../build/docs/chain-picture.ts";

test("docs/chain.svg is what npm run docs:picture draws", () => {
  expect(readFileSync(new URL("../../../../docs/chain.svg", import.meta.url), "utf8")).toBe(chainPicture());
});
