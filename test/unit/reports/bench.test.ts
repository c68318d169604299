import { expect, test } from "vitest";
import { aimsOf, isMet } from "../../reports/bench/aims.ts";
import { compare } from "../../reports/bench/base.ts";
import type { Report, Row } from "../../reports/bench/report.ts";

const always = (figure: number) => ({ median: figure, p10: figure, p90: figure });

/** A row in which the processor time is half of the elapsed time. */
function row(title: string, times: Readonly<Record<string, number>>): Row {
  const timings = Object.entries(times).map(([peer, ms]) => ({ peer, wallMs: always(ms), cpuMs: always(ms / 2) }));
  return { title, timings };
}

const nothing: Report = {
  machine: { cores: "2", architecture: "x86_64", kernel: "6", node: "24", bash: "5" },
  loadBefore: 0,
  missing: [],
};

const found = (report: Partial<Report>) =>
  Object.fromEntries(aimsOf({ ...nothing, ...report }).map(({ title, found }) => [title, found]));

test.each([
  [{ most: 2, found: 2 }, true],
  [{ most: 2, found: 2.01 }, false],
  [{ least: 3, found: 3 }, true],
  [{ least: 3, found: 2.99 }, false],
  [{ most: 2, found: undefined }, undefined],
])("whether an aim is met: %j: %s", (aim, expected) => {
  expect(isMet({ title: "", ...aim })).toBe(expected);
});

test("without figures nothing is met or missed", () => {
  expect(new Set(aimsOf(nothing).map(isMet))).toEqual(new Set([undefined]));
});

test("of both CHECKs, and of all later jqs, the worst counts", () => {
  const rows = [
    row("CHECK first", {
      floor: 1,
      slim: 2,
      "Node flavor": 30,
      "empty SEA": 20,
      "bash + jq 1.6": 24,
      "bash + jq 1.7": 8,
    }),
    row("CHECK chained", {
      floor: 1,
      slim: 3,
      "Node flavor": 30,
      "empty SEA": 25,
      "bash + jq 1.6": 27,
      "bash + jq 1.8.2": 6,
    }),
    row("ADD first", { floor: 1, slim: 9, "bash + jq 1.6": 1 }),
  ];
  expect(found({ calls: { runs: 1, rows, footprints: [] } })).toMatchObject({
    "CHECK: slim ÷ floor": 3,
    "CHECK: bash + later jq ÷ slim": 2,
    "CHECK: bash + jq 1.6 ÷ slim": 9,
    "CHECK: Node flavor ÷ empty SEA": 1.5,
  });
});

const run = (wallMs: number, cpuMs: number) => ({ wallMs, cpuMs });

test("the ratio is the median of the rounds' ratios, not the ratio of the medians", () => {
  const own = [run(2, 1), run(9, 4), run(30, 3)];
  const base = [run(1, 1), run(3, 2), run(20, 6)];
  // The rounds' ratios are 2, 3 and 1.5, and 1, 2 and 0.5. The medians of the times are 9 and 3.
  expect(compare(own, base)).toEqual({ wallRatio: 2, cpuRatio: 1, moreWallMs: 6 });
});
