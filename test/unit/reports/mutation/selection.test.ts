import { expect, test } from "vitest";
import { mayKill, orderFor, reachOf } from "../../../reports/mutation/judge.ts";
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

const run = (test: string, milliseconds: number[], ...reached: number[][]) => {
  return { test, milliseconds, asked: 10, groups: [""], reached: reached.map((ids) => Int32Array.from(ids)), read: [] };
};

test("a mutant meets only the tests that reach it: its own file's, those that killed others there, the nearest, the fastest, in time", () => {
  const [mutant] = mutantsOf("cli/prune/state.ts", "f();", 7);
  const runs = [
    run("test/unit/cli/slow.test.ts", [0, 100, 100], [], [7], [7]),
    run("test/unit/cli/elsewhere.test.ts", [0, 0], [8], [8]),
    run("test/unit/cli/too-slow.test.ts", [0, 350, 50], [], [7], [7]),
    run("test/unit/cli/much-too-slow.test.ts", [0, 490], [], [7]),
    run("test/unit/cli/declared.test.ts", [1, 2], [7], [8]),
    run("test/unit/cli/killer.test.ts", [0, 50, 50], [], [7], [6, 7]),
    run("test/unit/state.test.ts", [5, 1000, 5], [], [6], [7]),
    run("test/unit/cli/fast.test.ts", [0, 1, 500], [], [7], [6]),
    run("test/unit/cli/prune/near.test.ts", [0, 1500], [], [7]),
  ];
  const order = mutant && orderFor(mutant, reachOf(runs).get(7) ?? [], 2000, ["test/unit/cli/killer.test.ts"]);
  expect(order).toMatchObject({ mutant: 7, limitMs: 28_640 });
  expect(order?.tests.map(({ test, cases }) => [test, cases])).toEqual([
    ["test/unit/state.test.ts", [1]],
    ["test/unit/cli/prune/near.test.ts", [0]],
    ["test/unit/cli/killer.test.ts", [0, 1]],
    ["test/unit/cli/fast.test.ts", [0]],
    ["test/unit/cli/declared.test.ts", undefined],
    ["test/unit/cli/slow.test.ts", [0, 1]],
    ["test/unit/cli/too-slow.test.ts", [1]],
  ]);
});

test("a group of tests with the name of the mutant's file runs first and whole, the rest of its file in time", () => {
  const [mutant] = mutantsOf("cli/rules/kept-leases.ts", "f();", 7);
  const runs = [
    run("test/unit/cli/fast.test.ts", [0, 1], [], [7]),
    {
      ...run("test/unit/cli/rules.test.ts", [0, 1, 1500, 1900, 700, 400], [], [7], [7], [7], [7], [7]),
      groups: ["duplicate-key", "duplicate-key", "kept-leases", "kept-leases", ""],
    },
  ];
  const order = mutant && orderFor(mutant, reachOf(runs).get(7) ?? [], 2000);
  expect(order?.tests.map(({ test, cases }) => [test, cases])).toEqual([["test/unit/cli/rules.test.ts", [2, 3]]]);
});

test("the tests of the commands decide about no mutant of the core", () => {
  const tests = ["test/unit/cli/add.test.ts", "test/unit/verbs/del.test.ts"];
  expect(tests.filter((test) => mayKill(test, "shared/verbs/add.ts"))).toEqual(["test/unit/verbs/del.test.ts"]);
  expect(tests.filter((test) => mayKill(test, "cli/add.ts"))).toEqual(tests);
});
