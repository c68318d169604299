import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "../../support/tree.ts";
import { allPass, makeTree, type Outcome, onePasses, run } from "./run-tree.ts";

test.each<[title: string, verdict: string, outcomes: Record<string, Outcome>]>([
  ["a step that passes is a passed test", "16 passed, 0 failed", {}],
  ["a step that fails is a failed test", "15 passed, 1 failed", { biome: { exit: 1 } }],
  [
    "a failed test",
    "16 passed, 1 failed",
    { unit: { exit: 1, files: [{ status: "failed", tests: ["passed", "failed"] }] } },
  ],
  ["without a build, what needs it has failed", "5 passed, 11 failed", { node: { exit: 1 } }],
])("%s: %s", async (_, verdict, outcomes) => {
  const { stdout, exitCode } = await run(makeTree({ ...allPass, ...outcomes }));
  expect(stdout.split("\n").at(-1)).toBe(verdict);
  expect(exitCode).toBe(verdict.includes(" 0 failed") ? 0 : 1);
});

test("a skipped test that the second kernel ran is not skipped", async () => {
  const e2e = { files: [{ status: "passed", tests: ["passed", "skipped", "todo"] }] };
  const kernel = { files: [{ status: "passed", tests: [] }], alsoPassed: ["skipped test 1"] };
  const { stdout } = await run(makeTree({ ...allPass, e2e, kernel }));
  expect(stdout).toContain("e2e             ok (1 passed, 0 failed, 2 skipped;");
  expect(stdout.match(/^skipped: .*$/gm)).toEqual(["skipped: todo test 2"]);
  expect(stdout.split("\n").at(-1)).toBe("16 passed, 0 failed, 1 skipped");
});

test("without a second kernel, its step and the tests are skipped by name", async () => {
  const why = "no second kernel, as linux.uml (user-mode-linux) is missing";
  const e2e = { files: [{ status: "passed", tests: ["passed", "skipped"] }] };
  const { kernel, ...rest } = allPass;
  const { stdout } = await run(makeTree({ ...rest, e2e }, { kernel: `${why}\n` }));
  expect(stdout).toContain(`kernel          skipped (${why})\n`);
  expect(stdout.match(/^skipped: .*$/gm)).toEqual(["skipped: skipped test 1"]);
  expect(stdout.split("\n").at(-1)).toBe("15 passed, 0 failed, 2 skipped");
});

test("the reporter of the executed cases takes part in the steps that have a list of them, found or not", async () => {
  const fails = { ...onePasses, exit: 1 };
  const { stdout } = await run(
    makeTree({ ...allPass, unit: fails, executable: fails, e2e: fails, nomad: fails, "e2e-slim": fails }),
  );
  const calls = stdout.split("\n").filter((line) => line.startsWith("vitest run"));
  const guarded = calls.filter((line) => line.includes("--reporter=./test/support/case-reporter.ts"));
  expect(calls).toHaveLength(5);
  expect(guarded.map((line) => line.split(" ")[3]).sort()).toEqual(["e2e", "e2e-slim", "nomad"]);
});

test("with slim, the Node flavor runs the end-to-end tests of what it has of its own; without cargo it runs all", async () => {
  const filesOf = async (tools: { cargo?: string }) => {
    const { stdout } = await run(makeTree({ ...allPass, e2e: { ...onePasses, exit: 1 } }, tools));
    const [command = ""] = /^vitest run --project e2e .*$/m.exec(stdout) ?? [];
    return command.match(/(?<= )test\/e2e\/\S+/g) ?? [];
  };
  const files = await filesOf({});
  expect(files).toContain("test/e2e/status.test.ts");
  expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([]);
  expect(await filesOf({ cargo: "exit 127" })).toEqual([]);
});

test("a step is skipped by name where its tool is missing", async () => {
  const why = "Nomad is not built here";
  const { stdout, exitCode } = await run(makeTree({ ...allPass, nomad: { exit: 1 } }, { nomad: `${why}\n` }));
  expect(stdout).toContain(`nomad           skipped (${why})\n`);
  expect(stdout.split("\n").at(-1)).toBe("15 passed, 0 failed, 1 skipped");
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
])("where %s, the slim half is skipped by name, and fails where CI is set", async (_, tools, why) => {
  const tree = makeTree(allPass, tools);
  const slim = ["build-slim", "differential", "e2e-slim", "executable-slim"];
  const { stdout, exitCode } = await run(tree);
  const lines = (word: string) => slim.map((name) => `${name.padEnd(15)} ${word} (${why})`);
  expect(stdout.match(/^.* skipped \(.*$/gm)?.sort()).toEqual(lines("skipped"));
  expect([exitCode, stdout.split("\n").at(-1)]).toEqual([0, "12 passed, 0 failed, 4 skipped"]);
  const strict = await run(tree, { CI: "true" });
  expect(strict.stdout.match(/^build-slim .*$/m)?.[0]).toBe(lines("FAILED")[0]);
  expect(strict.exitCode).toBe(1);
});

test("where CI is set, a test that did not run and a missing kernel have failed, and Nomad may be missing", async () => {
  const e2e = { files: [{ status: "passed", tests: ["passed", "skipped"] }] };
  const missing = { nomad: "Nomad is not built here\n", kernel: "no second kernel\n" };
  const { stdout, exitCode } = await run(makeTree({ ...allPass, e2e }, missing), { CI: "true" });
  expect(stdout).toContain("kernel          FAILED (no second kernel)\n");
  expect(stdout).toContain("\nFAILED, not run: skipped test 1\n");
  expect([exitCode, stdout.split("\n").at(-1)]).toEqual([1, "14 passed, 2 failed, 1 skipped"]);
});
