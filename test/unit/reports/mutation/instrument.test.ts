import { expect, test } from "vitest";
import { instrumented } from "../../../reports/mutation/instrument.ts";
import { mutantsOf } from "../../../reports/mutation/mutants.ts";

/** The value that a function body returns with each of its mutants, by the mutant. */
function outcomes(body: string): Record<string, unknown> {
  const mutants = mutantsOf("shared/one.ts", body);
  const run = new Function("__isOn", `return (() => ${instrumented(body, mutants)})()`);
  const entries = mutants.map(({ id, original, replacement }) => [`${original} -> ${replacement}`, id] as const);
  const all = [["as it is", undefined] as const, ...entries];
  return Object.fromEntries(all.map(([name, active]) => [name, run((id: number) => id === active)]));
}

test("every mutant has its own switch, also one inside another", () => {
  expect(outcomes("[1, 2, 3].filter((n) => n > 1).length + 10")).toEqual({
    "as it is": 12,
    "[1, 2, 3].filter((n) => n > 1).length + 10 -> undefined": undefined,
    "[1, 2, 3].filter((n) => n > 1).length + 10 -> [1, 2, 3].filter((n) => n > 1).length - 10": -8,
    "[1, 2, 3].filter((n) => n > 1) -> [1, 2, 3]": 13,
    "[1, 2, 3] -> []": 10,
    "1 -> 2": 11,
    "2 -> 3": 12,
    "3 -> 4": 12,
    "n > 1 -> true": 13,
    "n > 1 -> false": 10,
    "n > 1 -> n >= 1": 13,
    "10 -> 11": 13,
  });
});

test("a chain keeps its `this`, and ends where it ended", () => {
  expect(outcomes("[[[3, 1].find((n) => n < 9)?.toFixed(1).length]][0]")).toMatchObject({
    "as it is": [3],
    "[3, 1].find((n) => n < 9) -> [3, 1].findLast((n) => n < 9)": [3],
    "[3, 1].find((n) => n < 9)?.toFixed -> [3, 1].find((n) => n < 9).toFixed": [3],
    "n < 9 -> false": [undefined],
  });
});

test("a statement, a block and a property are left out", () => {
  const body = "(() => { const a = { b: 1, c: 2 }; for (const d of [3]) { a.b += d; a.c = d; } return a; })()";
  expect(outcomes(body)).toMatchObject({
    "as it is": { b: 4, c: 3 },
    "b: 1 -> ": { b: Number.NaN, c: 3 },
    "a.c = d -> undefined": { b: 4, c: 2 },
    "a.b += d -> a.b -= d": { b: -2, c: 3 },
    "{ a.b += d; a.c = d; } -> {}": { b: 1, c: 2 },
  });
});
