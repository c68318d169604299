import { expect, test } from "vitest";
import { compare } from "../../../reports/bench/base.ts";

const run = (wallMs: number, cpuMs: number) => ({ wallMs, cpuMs });

test("the ratio is the median of the rounds' ratios, not the ratio of the medians", () => {
  const own = [run(2, 1), run(9, 4), run(30, 3)];
  const base = [run(1, 1), run(3, 2), run(20, 6)];
  // The rounds' ratios are 2, 3 and 1.5, and 1, 2 and 0.5. The medians of the times are 9 and 3.
  expect(compare(own, base)).toEqual({ wallRatio: 2, cpuRatio: 1, moreWallMs: 6 });
});
