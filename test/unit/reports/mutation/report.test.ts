import { describe, expect, test } from "vitest";
import type { Mutant } from "../../../reports/mutation/mutants.ts";
import {
  aimScores,
  fileScores,
  listProblems,
  missedAims,
  renewedList,
  type Survivor,
  survivorsOf,
} from "../../../reports/mutation/report.ts";

function verdict(file: string, original: string, killed: boolean) {
  const mutant: Mutant = {
    ...{ id: 0, key: "", file, place: "f", type: "Identifier", lines: [1, 1], original, replacement: "true" },
    switch: { form: "expression", start: 0, end: 0, text: "" },
  };
  return { mutant, killed };
}

const verdicts = [
  verdict("shared/record/record.ts", "a", true),
  verdict("shared/record/record.ts", "b\n   +  c", false),
  verdict("shared/call/log.ts", "d", true),
  verdict("shared/call/log.ts", "e", true),
];
const aims = [
  { name: "all", files: ["**"], percent: 75 },
  { name: "recovery", files: ["shared/**/record*.ts"], percent: 50.1 },
];

test("the scores of files and of aims", () => {
  expect(fileScores(verdicts)).toEqual([
    { name: "shared/record/record.ts", mutants: 2, killed: 1, percent: 50 },
    { name: "shared/call/log.ts", mutants: 2, killed: 2, percent: 100 },
  ]);
  const scores = aimScores(verdicts, aims);
  expect(scores.map(({ name, percent }) => [name, percent])).toEqual([
    ["all", 75],
    ["recovery", 50],
  ]);
  expect(missedAims(scores, aims)).toEqual(["recovery: 50.0 % killed, the aim is 50.1 %"]);
});

describe("the list of survivors", () => {
  const listed: Survivor = {
    ...{ file: "shared/record/record.ts", place: "f", original: "b + c", replacement: "true" },
    reason: "the same",
  };

  test("has them on one line, with the reasons that are known", () => {
    expect(survivorsOf(verdicts, [listed])).toEqual([listed]);
    expect(survivorsOf(verdicts, [])).toEqual([{ ...listed, reason: "" }]);
  });

  test("counts those that are alike", () => {
    const twice = [...verdicts, verdict("shared/record/record.ts", "b + c", false)];
    expect(survivorsOf(twice, [])).toEqual([{ ...listed, times: 2, reason: "" }]);
  });

  test("keeps the entries of files that did not run", () => {
    const [before, after] = [listed, { ...listed, original: "d" }];
    const [other, last] = [
      { ...listed, file: "shared/call/log.ts" },
      { ...listed, file: "shared/run.ts" },
    ];
    const files = new Set([listed.file]);
    expect(renewedList([after], [other, before, last], files)).toEqual([other, after, last]);
    expect(renewedList([], [other, before, last], files)).toEqual([other, last]);
  });

  const where = "shared/record/record.ts, f: b + c -> true";
  test.each([
    ["is exact", [listed], [listed], []],
    ["lacks one", [], [listed], [`not listed: ${where}`]],
    ["has one without a reason", [{ ...listed, reason: " " }], [listed], [`no reason: ${where}`]],
    ["has one that is killed", [listed], [], [`does not survive any more: ${where}`]],
    ["has fewer alike", [listed], [{ ...listed, times: 2 }], [`listed 1 times, survives 2 times: ${where}`]],
    ["has more alike", [{ ...listed, times: 2 }], [listed], [`listed 2 times, survives 1 times: ${where}`]],
  ])("that %s", (_, list, survivors, problems) => {
    expect(listProblems(survivors, list)).toEqual(problems);
  });
});
