import { expect, test } from "vitest";
import { comparisonTable } from "../../../reports/compare/report.ts";

test("a row for each question, a column for each contestant, and every note once", () => {
  const rows = [
    { title: "ADD", cells: { one: { words: "passes" }, other: { words: "fails", notes: ["why"] } } },
    { title: "CHECK", cells: { one: { words: "no", notes: ["because", "why"] }, other: { words: "-" } } },
  ];
  expect(comparisonTable(["one", "other"], rows)).toBe(
    [
      "|       | one       | other     |",
      "| ----- | --------- | --------- |",
      "| ADD   | passes    | fails (1) |",
      "| CHECK | no (2, 1) | -         |",
      "",
      "1. why",
      "2. because",
    ].join("\n"),
  );
});
