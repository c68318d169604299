import { expect, test } from "vitest";
import { modelWords, recordedCalls } from "../../../reports/verdict-truth/calls.ts";

test.each(recordedCalls())("$name: each call ends as with the real plugins", async ({ steps, words }) => {
  expect(await modelWords(steps)).toEqual(words);
});
