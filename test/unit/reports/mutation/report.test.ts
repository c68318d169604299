import { describe, expect, test } from "vitest";
import { figuresOf, readFigures } from "../../../reports/mutation/figures.ts";
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

  const found = (survivors: readonly Survivor[]) => ({ survivors, ofGuards: survivors });

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
    expect(renewedList(found([after]), [other, before, last], files)).toEqual([other, after, last]);
    expect(renewedList(found([]), [other, before, last], files)).toEqual([other, last]);
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
    expect(listProblems(found(survivors), list)).toEqual(problems);
  });

  test("may lack one that is in no guard", () => {
    const gap = { ...listed, original: "d" };
    expect(listProblems({ survivors: [listed, gap], ofGuards: [listed] }, [listed])).toEqual([]);
    expect(renewedList({ survivors: [listed, gap], ofGuards: [] }, [listed], new Set([listed.file]))).toEqual([listed]);
  });
});

test("a folder whose files all ran gets new figures, with commit and date; the others keep theirs", () => {
  const all = ["shared/call/log.ts", "shared/record/record.ts", "shared/record/other.ts", "cli/main.ts"];
  const before = new Map([
    ["shared/record", { mutants: 100, killed: 98, commit: "11111111", date: "2026-01-02" }],
    ["gone/folder", { mutants: 1, killed: 1, commit: "11111111", date: "2026-01-02" }],
  ]);
  const when = { commit: "22222222", date: "2026-02-03" };
  const text = figuresOf(verdicts, before, { ran: new Set(all.slice(0, 2)), all, when });
  expect([...readFigures(text)]).toEqual([
    ["shared/call", { mutants: 2, killed: 2, ...when }],
    ["shared/record", { mutants: 100, killed: 98, commit: "11111111", date: "2026-01-02" }],
  ]);
  expect(text).toContain("98.0");
});
