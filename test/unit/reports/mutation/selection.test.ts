import { expect, test } from "vitest";
import { orderFor } from "../../../reports/mutation/judge.ts";
import { mutantsOf } from "../../../reports/mutation/mutants.ts";
import { changedLines, isChanged } from "../../../reports/mutation/selection.ts";

const diff = `diff --git a/shared/one.ts b/shared/one.ts
--- a/shared/one.ts
+++ b/shared/one.ts
@@ -2 +2 @@ function f() {
-  return 0;
+  return 1;
@@ -7,2 +6,0 @@
-a
-b
diff --git a/shared/two.ts b/shared/two.ts
--- /dev/null
+++ b/shared/two.ts
@@ -0,0 +1,3 @@
+a
`;

test("the changed lines of a diff", () => {
  expect([...changedLines(diff)]).toEqual([
    [
      "shared/one.ts",
      [
        [2, 2],
        [6, 6],
      ],
    ],
    ["shared/two.ts", [[1, 3]]],
  ]);
});

test("the mutants of changed lines", () => {
  const mutants = mutantsOf("shared/one.ts", "f(1);\nf(2);\nf(3);\n");
  const changed = mutants.filter((mutant) => isChanged(mutant, changedLines(diff)));
  expect(changed.map(({ original }) => original)).toEqual(["f(2)", "2"]);
});

test("a mutant meets the test of its own file first, then the quickest that reaches it", () => {
  const [mutant] = mutantsOf("shared/verbs/add.ts", "f();", 7);
  const run = (test: string, milliseconds: number, reached: number[]) => {
    return { test, milliseconds, count: 1, asked: 10, reached: new Set(reached) };
  };
  const runs = [
    run("test/unit/slow.test.ts", 30, [7]),
    run("test/unit/elsewhere.test.ts", 1, [8]),
    run("test/unit/plan/add.test.ts", 90, [7]),
    run("test/unit/quick.test.ts", 2, [6, 7]),
  ];
  const order = mutant && orderFor(mutant, runs);
  expect(order?.mutant).toBe(7);
  expect(order?.tests.map(({ test }) => test)).toEqual([
    "test/unit/plan/add.test.ts",
    "test/unit/quick.test.ts",
    "test/unit/slow.test.ts",
  ]);
});
