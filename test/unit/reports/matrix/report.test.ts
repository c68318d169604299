import { describe, expect, test } from "vitest";
import { readSection } from "../../../../build/docs/page-section.ts";
import expectedCells from "../../../reports/matrix/expected.json" with { type: "json" };
import { nameOf, type Place, places } from "../../../reports/matrix/places.ts";
import { type Cell, failuresOf, improvements, matrixTable, regressions } from "../../../reports/matrix/report.ts";

const place: Place = { plugins: "1.9.1", specification: "0.3.1", runtime: "go-cni" };
const refused = 'configuration version "0.3.1" does not support the CHECK command';
const check = (error?: string) => [{ name: "CHECK" as const, ...(error !== undefined && { error }) }];
const alone = (error?: string) => ({ title: "bridge alone", steps: check(error) });

const upstream: Cell = { ...place, steps: check(refused), plain: [alone(refused)] };
const passing: Cell = { ...place, runtime: "cnitool", steps: check(), plain: [] };

describe("a step that fails", () => {
  test("has a cause where every plain chain fails there with the same error", () => {
    expect(failuresOf(upstream)).toMatchObject([{ step: "CHECK", cause: { steps: ["CHECK"] } }]);
  });

  test.each([
    ["a plain chain passes", { ...upstream, plain: [alone(refused), alone()] }],
    ["a plain chain fails for something else", { ...upstream, plain: [alone("out of memory")] }],
    ["no plain chain was tried", { ...upstream, plain: [] }],
    ["the error is unknown", { ...upstream, steps: check("new"), plain: [alone("new")] }],
  ])("has none where %s, and is a regression whatever is expected", (_, cell: Cell) => {
    expect(failuresOf(cell)).toEqual([expect.not.objectContaining({ cause: expect.anything() })]);
    expect(regressions([cell], { [nameOf(cell)]: ["CHECK"] })).toHaveLength(1);
    expect(matrixTable([cell])).toContain("CHECK fails (1)");
  });

  test("is a regression where it is expected to pass, and none where it is not", () => {
    expect(regressions([upstream], {})).toEqual([`1.9.1 0.3.1 go-cni: CHECK is expected to pass: ${refused}`]);
    expect(regressions([upstream], { "1.9.1 0.3.1 go-cni": ["CHECK"] })).toEqual([]);
  });
});

test("a step that passes where it is expected to fail is told", () => {
  expect(improvements([passing, upstream], { "1.9.1 0.3.1 cnitool": ["CHECK"] })).toEqual([
    "1.9.1 0.3.1 cnitool: CHECK is expected to fail, and passes",
  ]);
});

test("the expected failures are of existing cells", () => {
  expect(places.map(nameOf)).toEqual(expect.arrayContaining(Object.keys(expectedCells)));
});

test("the page has the matrix that is expected", () => {
  const [titles = [], , ...rows] = readSection("matrix")
    .split("\n")
    .filter((line) => line.startsWith("|"))
    .map(cellsOf);
  const imperfect = rows.flatMap(([plugins, specification, ...words]) =>
    words.flatMap((word, index) => (word === "passes" ? [] : [`${plugins} ${specification} ${titles[index + 2]}`])),
  );
  // Not everyone who writes the page has another Nomad.
  const isThere = (name: string) => titles.includes("NOMAD_BIN") || !name.endsWith("NOMAD_BIN");
  expect(rows.length * (titles.length - 2)).toBe(places.map(nameOf).filter(isThere).length);
  expect(imperfect.sort()).toEqual(Object.keys(expectedCells).filter(isThere).sort());
});

function cellsOf(line: string): string[] {
  return line
    .split("|")
    .slice(1, -1)
    .map((cell) => cell.trim());
}
