import { expect, test } from "vitest";
import { judge } from "../../../reports/verdict-truth/compare.ts";
import { recorded } from "../../../reports/verdict-truth/recorded.ts";

test.each(recorded().map(({ candidate, words }) => [candidate.name, candidate, words] as const))(
  "%s ends as with the real plugins",
  (_, candidate, words) => {
    expect(judge(candidate, words).filter(({ isEqual }) => !isEqual)).toEqual([]);
  },
);
