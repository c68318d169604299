import { expect, test } from "vitest";
import { chartOf, decades } from "../../../reports/bench/chart.ts";

test.each([
  [
    [0.7, 30],
    [0.1, 100],
  ],
  [
    [1, 10],
    [1, 10],
  ],
  [
    [2, 3],
    [1, 10],
  ],
  [[5], [1, 10]],
  [[1], [1, 10]],
])("the decades around %j are %j", (values, expected) => {
  expect(decades(values)).toEqual(expected);
});

const bar = (label: string, value: number) => ({ label, value, isOurs: label === "ours" });

test("a bar is as long as the logarithm of its value", () => {
  const svg = chartOf("title", [{ title: "group", bars: [bar("ours", 1), bar("theirs", 10), bar("most", 100)] }]);
  const widths = [...svg.matchAll(/<rect x="150" y="\d+" width="([\d.]+)"/g)].map(([, width]) => Number(width));
  expect(widths).toEqual([0, 265, 530]);
});

test("words cannot break the markup", () => {
  const svg = chartOf("a < b & c", [{ title: "<g>", bars: [bar("ours", 2)] }]);
  expect(svg).toContain("a &lt; b &amp; c");
  expect(svg).not.toContain("<g>");
});

test("the groups are below one another", () => {
  const svg = chartOf("title", [
    { title: "one", bars: [bar("ours", 2), bar("theirs", 3)] },
    { title: "two", bars: [bar("ours", 4)] },
  ]);
  const tops = [...svg.matchAll(/<rect x="150" y="(\d+)"/g)].map(([, top]) => Number(top));
  expect(tops).toEqual([64, 88, 146]);
});
