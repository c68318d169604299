import { expect, test } from "vitest";
import type { Report } from "../../../reports/bench/report.ts";
import { aimsTable, figure, tablesOf } from "../../../reports/bench/tables.ts";

const spread = (median: number) => ({ median, p10: median - 0.1, p90: median + 0.1 });
const timing = (peer: string, ms: number) => ({ peer, wallMs: spread(ms), cpuMs: spread(ms / 2) });

const report: Report = {
  machine: { cores: "2", architecture: "x86_64", kernel: "6.1", node: "24.0", bash: "5.2" },
  loadBefore: 0.04,
  calls: {
    runs: 60,
    rows: [
      { title: "start", timings: [timing("slim", 1.5)] },
      { title: "CHECK chained", timings: [timing("floor", 1), timing("slim", 2)] },
    ],
    footprints: [
      { peer: "floor", peakMB: 0.7, systemCalls: 14, sizeMB: 0.68 },
      { peer: "slim", peakMB: 2.4, systemCalls: 49, sizeMB: 2.39 },
    ],
  },
  atOnce: [{ title: "4 at once", calls: 4, timings: [timing("slim", 5)], load: [1.05] }],
  missing: ["multus: no network"],
};

test("the page has no aims: they are for developers", () => {
  expect(tablesOf(report)).not.toContain("Aims");
});

const lines = `${tablesOf(report)}\n${aimsTable(report)}`.split("\n").map((line) => line.replaceAll(/ +/g, " "));

test.each([
  "2 cores, x86_64, Linux 6.1, Node 24.0, bash 5.2; load before: 0.0. Medians of interleaved runs.",
  "| | floor, ms | slim |",
  // If the floor is not measured, there is nothing to divide by.
  "| start | | 1.50 ms |",
  "| CHECK chained | 1.00 | 2.00 |",
  "| slim | 2.00 | 1.90–2.10 | 1.00 | 2.40 | 49 | 2.39 |",
  "| 4 at once | 1.05 (5.00 ms) |",
  "| slim: memory, MB | ≤ 3 | 2.40 | | met |",
  "| slim: 128 interfaces ÷ 2 | ≤ 1.5 | | | not measured |",
  "| slim: configuration of 1024 KB ÷ 1 KB | ≤ 4 | | | not measured |",
  "- multus: no network",
])("%s", (line) => {
  expect(lines).toContain(line);
});

test.each([
  [undefined, ""],
  [0.123, "0.12"],
  [9.999, "10.00"],
  [12.34, "12.3"],
  [123.4, "123"],
])("%s is written as %j", (value, expected) => {
  expect(figure(value)).toBe(expected);
});
