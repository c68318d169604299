import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { execa } from "execa";
import { expect, test } from "vitest";
import { root } from "../../support/tree.ts";
import { allPass, makeTree, type Outcome, onePasses, run } from "./run-tree.ts";

test.each<[title: string, verdict: string, outcomes: Record<string, Outcome>]>([
  ["a step that passes is a passed test", "14 passed, 0 failed", {}],
  ["a step that fails is a failed test", "13 passed, 1 failed", { biome: { exit: 1 } }],
  [
    "a failed test",
    "14 passed, 1 failed",
    { unit: { exit: 1, files: [{ status: "failed", tests: ["passed", "failed"] }] } },
  ],
  [
    "a failed test, and a file that cannot be imported",
    "14 passed, 2 failed",
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
    "14 passed, 1 failed",
    { e2e: { ...onePasses, exit: 1 } },
  ],
  ["vitest leaves no report", "13 passed, 1 failed", { executable: { exit: 0 } }],
  ["a project without a test", "13 passed, 1 failed", { e2e: { files: [] } }],
  [
    "skipped tests and those to do",
    "14 passed, 0 failed, 2 skipped",
    { e2e: { files: [{ status: "passed", tests: ["passed", "skipped", "todo"] }] } },
  ],
  [
    "a step with only skipped tests",
    "13 passed, 1 failed, 2 skipped",
    { e2e: { files: [{ status: "passed", tests: ["skipped", "skipped"] }] } },
  ],
  ["without a build, what needs it has failed", "4 passed, 10 failed", { node: { exit: 1 } }],
])("%s: %s", async (_, verdict, outcomes) => {
  const { stdout, exitCode } = await run(makeTree({ ...allPass, ...outcomes }));
  expect(stdout.split("\n").at(-1)).toBe(verdict);
  expect(exitCode).toBe(verdict.includes(" 0 failed") ? 0 : 1);
});

test("each step has a line; what failed is shown whole, what passed is not", async () => {
  const { all } = await run(makeTree({ ...allPass, tsc: { exit: 2 } }));
  expect(all.replaceAll(/\d+\.\d s/g, "0.1 s")).toBe(
    [
      "[1/14] lint            ok (1 passed, 0 failed; 0.1 s)",
      "[2/14] types           FAILED (0 passed, 1 failed; 0.1 s)",
      "output of tsc",
      "",
      "[3/14] core types      FAILED (0 passed, 1 failed; 0.1 s)",
      "output of tsc",
      "",
      "[4/14] unit            ok (1 passed, 0 failed; 0.1 s)",
      "[5/14] build           ok (1 passed, 0 failed; 0.1 s)",
      "[6/14] executable      ok (1 passed, 0 failed; 0.1 s)",
      "[7/14] plugins         ok (1 passed, 0 failed; 0.1 s)",
      "[8/14] e2e             ok (1 passed, 0 failed; 0.1 s)",
      "[9/14] nomad           ok (1 passed, 0 failed; 0.1 s)",
      "[10/14] build-slim      ok (1 passed, 0 failed; 0.1 s)",
      "[11/14] executable-slim ok (1 passed, 0 failed; 0.1 s)",
      "[12/14] e2e-slim        ok (1 passed, 0 failed; 0.1 s)",
      "[13/14] differential    ok (1 passed, 0 failed; 0.1 s)",
      "[14/14] kernel          ok (1 passed, 0 failed; 0.1 s)",
      "12 passed, 2 failed",
    ].join("\n"),
  );
});

test("skipped tests are named", async () => {
  const { stdout } = await run(
    makeTree({ ...allPass, e2e: { files: [{ status: "passed", tests: ["passed", "todo"] }] } }),
  );
  expect(stdout).toContain("\nskipped: todo test 1\n");
});

test("a skipped test that the second kernel ran is not skipped", async () => {
  const e2e = { files: [{ status: "passed", tests: ["passed", "skipped", "todo"] }] };
  const kernel = { files: [{ status: "passed", tests: [] }], alsoPassed: ["skipped test 1"] };
  const { stdout } = await run(makeTree({ ...allPass, e2e, kernel }));
  expect(stdout).toContain("e2e             ok (1 passed, 0 failed, 2 skipped;");
  expect(stdout.split("\n").slice(-2)).toEqual(["skipped: todo test 2", "14 passed, 0 failed, 1 skipped"]);
});

test("without a second kernel, its step and the tests are skipped by name", async () => {
  const why = "no second kernel, as linux.uml (user-mode-linux) is missing";
  const e2e = { files: [{ status: "passed", tests: ["passed", "skipped"] }] };
  const { kernel, ...rest } = allPass;
  const { stdout } = await run(makeTree({ ...rest, e2e }, { kernel: `${why}\n` }));
  expect(stdout).toContain(`] kernel          skipped: ${why}\n`);
  expect(stdout.split("\n").slice(-2)).toEqual(["skipped: skipped test 1", "13 passed, 0 failed, 2 skipped"]);
});

test("the reporter of the executed cases takes part in the steps that have a list of them, found or not", async () => {
  const fails = { ...onePasses, exit: 1 };
  const { stdout } = await run(
    makeTree({ ...allPass, unit: fails, executable: fails, e2e: fails, nomad: fails, "e2e-slim": fails }),
  );
  const calls = stdout.split("\n").filter((line) => line.startsWith("vitest run"));
  const guarded = calls.filter((line) => line.includes("--reporter=./test/support/case-reporter.ts"));
  expect(calls).toHaveLength(5);
  expect(guarded.map((line) => line.split(" ")[3])).toEqual(["e2e", "nomad", "e2e-slim"]);
});

test("both flavors use one directory for the plain plugins' outcomes, and the run removes it", async () => {
  const fails = { ...onePasses, exit: 1 };
  const { stdout } = await run(makeTree({ ...allPass, e2e: fails, "e2e-slim": fails }));
  const [first = "", second] = [...stdout.matchAll(/^kept in (\/.+)$/gm)].map(([, directory]) => directory);
  expect(second).toBe(first);
  expect(existsSync(dirname(first))).toBe(false);
});

test("vitest fails where a reporter cannot be found", async () => {
  const { exitCode, all } = await execa({
    reject: false,
    all: true,
    cwd: root,
    preferLocal: true,
  })`vitest run --project unit --reporter=./test/support/no-reporter.ts test/unit/about.test.ts`;
  expect(exitCode).not.toBe(0);
  expect(all).toContain("no-reporter.ts");
});

test("a step is skipped by name where its tool is missing", async () => {
  const why = "Nomad is not built here";
  const { stdout, exitCode } = await run(makeTree({ ...allPass, nomad: { exit: 1 } }, { nomad: `${why}\n` }));
  expect(stdout).toContain(`] nomad           skipped: ${why}\n`);
  expect(stdout.split("\n").at(-1)).toBe("13 passed, 0 failed, 1 skipped");
  expect(exitCode).toBe(0);
});

test.each([
  ["cargo is missing", { cargo: "exit 127" }, "cargo 1.87 or newer is needed, and there is none in PATH"],
  ["cargo is too old", { cargo: "echo cargo 1.86.0" }, "cargo 1.87 or newer is needed (this is cargo 1.86.0)"],
  [
    "cargo has no C compiler",
    { cc: "exit 127" },
    "cargo needs a C compiler, and there is no cc in PATH: apt-get install build-essential",
  ],
])("where %s, the slim half is skipped by name", async (_, tools, why) => {
  const { stdout, exitCode } = await run(makeTree(allPass, tools));
  const skipped = stdout.split("\n").filter((line) => line.includes("skipped: "));
  expect(skipped.map((line) => line.replace(/^\[\d+\/14\] /, "").replace(/ +/, " "))).toEqual(
    ["build-slim", "executable-slim", "e2e-slim", "differential"].map((name) => `${name} skipped: ${why}`),
  );
  expect(stdout.split("\n").at(-1)).toBe("10 passed, 0 failed, 4 skipped");
  expect(exitCode).toBe(0);
});
