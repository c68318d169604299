import { expect, test } from "vitest";
import { figuresOf, sizeProblems, sizeTable } from "../../../../build/release/sizes.ts";

const page = "docs/page.md";

test("the table has megabytes, with a digit after the point below 10", () => {
  const sizes = [
    { name: "a.tgz", packed: 719_291, unpacked: 1_449_000 },
    { name: "longer.tgz", packed: 43_928_984, unpacked: 10_000_000 },
  ];
  expect(sizeTable(sizes).split("\n")).toEqual([
    "| archive      | MB  | its executable, MB |",
    "| ------------ | --- | ------------------ |",
    "| `a.tgz`      | 0.7 | 1.4                |",
    "| `longer.tgz` | 44  | 10                 |",
  ]);
});

test("figures are found by the first column", () => {
  const section = "|  | MB |\n| --- | --- |\n| one | 0.7 | 1.4 |\n| one, other | 44 | 129 |\n";
  expect(figuresOf(section, "one, other")).toEqual([44, 129]);
  expect(figuresOf(section, "two")).toEqual([]);
});

test.each([
  [0.7, 719_291],
  [0.7, 650_001],
  [44, 43_928_984],
  [1.35, 1_400_000],
])("%d MB is right for %d bytes", (megabytes, found) => {
  expect(sizeProblems([{ page, what: "a.tgz", megabytes, found }])).toEqual([]);
});

test.each([
  [0.7, 830_000, "docs/page.md: a.tgz has 0.8 MB, and the page says 0.7 MB"],
  [44, 49_000_000, "docs/page.md: a.tgz has 49 MB, and the page says 44 MB"],
  [49, 44_000_000, "docs/page.md: a.tgz has 44 MB, and the page says 49 MB"],
  [Number.NaN, 44_000_000, "docs/page.md: a.tgz has 44 MB, and the page says no size"],
])("%d MB is wrong for %d bytes", (megabytes, found, problem) => {
  expect(sizeProblems([{ page, what: "a.tgz", megabytes, found }])).toEqual([problem]);
});
