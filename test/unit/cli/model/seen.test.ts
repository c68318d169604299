import { expect, test } from "vitest";
import { modelWords, recordedCalls } from "../../../reports/verdict-truth/calls.ts";
import { judge } from "../../../reports/verdict-truth/compare.ts";
import { recorded } from "../../../reports/verdict-truth/recorded.ts";

test.each(recorded().map(({ candidate, words }) => [candidate.name, candidate, words] as const))(
  "%s ends as with the real plugins",
  (_, candidate, words) => {
    expect(judge(candidate, words).filter(({ isEqual }) => !isEqual)).toEqual([]);
  },
);

test.each(recordedCalls())("$name: each call ends as with the real plugins", async ({ steps, words }) => {
  expect(await modelWords(steps)).toEqual(words);
});
