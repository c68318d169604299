import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { execa } from "execa";
import { expect, test } from "vitest";
import { root, scratch, writeScript } from "./tree.ts";

type Outcome = { exit?: number; files?: { status: string; tests: string[] }[] };

const onePasses = { files: [{ status: "passed", tests: ["passed"] }] };
const allPass: Record<string, Outcome> = { unit: onePasses, executable: onePasses, e2e: onePasses };

/** A tree whose tools are stand-ins: each prints its name and ends as `outcomes` says, vitest's with a report. */
function makeTree(outcomes: Record<string, Outcome>): string {
  const tree = scratch();
  for (const directory of ["test", "outcomes"]) mkdirSync(join(tree, directory));
  copyFileSync(join(root, "test/run.ts"), join(tree, "test/run.ts"));
  for (const [name, { exit = 0, files }] of Object.entries(outcomes)) {
    writeFileSync(join(tree, "outcomes", name), `${exit}`);
    if (files) writeFileSync(join(tree, "outcomes", `${name}.json`), JSON.stringify(reportOf(files)));
  }
  const end = (name: string) => `echo "output of ${name}"; exit "$(cat "outcomes/${name}" || echo 0)"`;
  for (const tool of ["biome", "tsc", "node"]) writeScript(join(tree, "node_modules/.bin", tool), end(tool));
  const report =
    'for arg; do case $arg in --outputFile.json=*) cp "outcomes/$3.json" "$(echo "$arg" | cut -d= -f2)";; esac; done';
  writeScript(join(tree, "node_modules/.bin/vitest"), `echo "vitest $*"; ${report}; ${end("$3")}`);
  return tree;
}

function reportOf(files: { status: string; tests: string[] }[]) {
  const assertions = (tests: string[]) =>
    tests.map((status, index) => ({ status, fullName: `${status} test ${index}` }));
  return { testResults: files.map(({ status, tests }) => ({ status, assertionResults: assertions(tests) })) };
}

function run(tree: string) {
  return execa({ reject: false, all: true })`${process.execPath} ${join(tree, "test/run.ts")}`;
}

test.each<[title: string, verdict: string, outcomes: Record<string, Outcome>]>([
  ["a step that passes is a passed test", "7 passed, 0 failed", {}],
  ["a step that fails is a failed test", "6 passed, 1 failed", { biome: { exit: 1 } }],
  [
    "a failed test",
    "7 passed, 1 failed",
    { unit: { exit: 1, files: [{ status: "failed", tests: ["passed", "failed"] }] } },
  ],
  [
    "a failed test, and a file that cannot be imported",
    "7 passed, 2 failed",
    {
      unit: {
        exit: 1,
        files: [
          { status: "failed", tests: ["passed", "failed"] },
          { status: "failed", tests: [] },
        ],
      },
    },
  ],
  [
    "all tests pass and vitest fails (a reporter, an uncaught error)",
    "7 passed, 1 failed",
    { e2e: { ...onePasses, exit: 1 } },
  ],
  ["vitest leaves no report", "6 passed, 1 failed", { executable: { exit: 0 } }],
  ["a project without a test", "6 passed, 1 failed", { e2e: { files: [] } }],
  [
    "skipped tests and those to do",
    "7 passed, 0 failed, 2 skipped",
    { e2e: { files: [{ status: "passed", tests: ["passed", "skipped", "todo"] }] } },
  ],
  ["without a build, what needs it has failed", "3 passed, 4 failed", { node: { exit: 1 } }],
])("%s: %s", async (_, verdict, outcomes) => {
  const { stdout, exitCode } = await run(makeTree({ ...allPass, ...outcomes }));
  expect(stdout.split("\n").at(-1)).toBe(verdict);
  expect(exitCode).toBe(verdict.includes(" 0 failed") ? 0 : 1);
});

test("each step has a line; what failed is shown whole, what passed is not", async () => {
  const { all } = await run(makeTree({ ...allPass, tsc: { exit: 2 } }));
  expect(all.replaceAll(/\d+\.\d s/g, "0.1 s")).toBe(
    [
      "[1/7] lint       ok (1 passed, 0 failed; 0.1 s)",
      "[2/7] types      FAILED (0 passed, 1 failed; 0.1 s)",
      "output of tsc",
      "",
      "[3/7] unit       ok (1 passed, 0 failed; 0.1 s)",
      "[4/7] build      ok (1 passed, 0 failed; 0.1 s)",
      "[5/7] executable ok (1 passed, 0 failed; 0.1 s)",
      "[6/7] plugins    ok (1 passed, 0 failed; 0.1 s)",
      "[7/7] e2e        ok (1 passed, 0 failed; 0.1 s)",
      "6 passed, 1 failed",
    ].join("\n"),
  );
});

test("skipped tests are named", async () => {
  const { stdout } = await run(
    makeTree({ ...allPass, e2e: { files: [{ status: "passed", tests: ["passed", "todo"] }] } }),
  );
  expect(stdout).toContain("\n      skipped: todo test 1\n");
});

test("the reporter of the executed cases takes part in the e2e step once it is there", async () => {
  const tree = makeTree({ ...allPass, unit: { ...onePasses, exit: 1 }, e2e: { ...onePasses, exit: 1 } });
  mkdirSync(join(tree, "test/tools"));
  writeFileSync(join(tree, "test/tools/case-reporter.ts"), "");
  const { stdout } = await run(tree);
  const calls = stdout.split("\n").filter((line) => line.startsWith("vitest run"));
  expect(calls.map((line) => line.includes("--reporter=./test/tools/case-reporter.ts"))).toEqual([false, true]);
});
