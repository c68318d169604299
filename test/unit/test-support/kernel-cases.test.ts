import { globSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { kernelCases, vitestArguments } from "../../kernel/cases.ts";
import { resultsOf, withUncaught } from "../../kernel/results.ts";
import { commandTests, hostTests } from "../../support/flavors.ts";

const selection = { "a.test.ts": ["one", "two > three"], "b.test.ts": ["four (1.0.0, 1.1.0)"] };

test("the second kernel runs the cases that need a kernel's feature, and no others", () => {
  const all = Object.entries(kernelCases("e2e")).flatMap(([file, names]) => names.map((name) => `${file}: ${name}`));
  expect(all).toContain("plugins.test.ts: vrf > passes ADD, CHECK, a fault and DEL: twice");
  expect(all.filter((name) => name.includes("jq"))).toEqual([]);
  const others = kernelCases("runtimes")["other-plugins.test.ts"] ?? [];
  expect(others).toContain("bond > plain after a plain bridge: no ADD passes");
  expect(others.filter((name) => !name.startsWith("bond"))).toEqual([]);
});

test("vitest's pattern matches the cases, however vitest joins their titles", () => {
  const [one, two, option, pattern = ""] = vitestArguments(selection, "e2e");
  expect([one, two, option]).toEqual(["test/e2e/a.test.ts", "test/e2e/b.test.ts", "--testNamePattern"]);
  const matching = ["one", "two three", "two > three", "four (1.0.0, 1.1.0)", "one more", "four (1x0.0, 1.1.0)"];
  expect(matching.filter((name) => new RegExp(pattern).test(name))).toEqual(matching.slice(0, 4));
});

test("a case that did not run is a failure, and so is its file", () => {
  const passed = { ancestorTitles: [], title: "one", fullName: "one", status: "passed" };
  const skipped = { ancestorTitles: ["two"], title: "three", fullName: "two three", status: "skipped" };
  const other = { ancestorTitles: [], title: "other", fullName: "other", status: "skipped" };
  const ran = { name: "/clone/test/e2e/a.test.ts", status: "passed", assertionResults: [passed, skipped, other] };
  expect(resultsOf(selection, { testResults: [ran] })).toMatchObject({
    testResults: [
      { name: "a.test.ts", status: "failed", assertionResults: [passed, { fullName: "two three", status: "failed" }] },
      { name: "b.test.ts", status: "failed", assertionResults: [{ status: "failed" }] },
    ],
  });
});

test("an error outside the cases is a failure", () => {
  const passed = { testResults: [{ name: "a.test.ts", status: "passed", assertionResults: [] }] };
  const failed = { testResults: [{ name: "a.test.ts", status: "failed", assertionResults: [] }] };
  const ended = { exitCode: 1, stdout: "", stderr: "uncaught" };
  expect(withUncaught(passed, ended).testResults).toMatchObject([
    { name: "a.test.ts", status: "passed" },
    { status: "failed", assertionResults: [{ failureMessages: [expect.stringContaining("uncaught")] }] },
  ]);
  expect(withUncaught(passed, { ...ended, exitCode: 0 })).toEqual(passed);
  expect(withUncaught(failed, ended)).toEqual(failed);
});

const root = join(import.meta.dirname, "../../..");

test("the end-to-end tests of one flavor are files that exist: vitest passes over a name that it does not find", () => {
  const files = globSync("test/e2e/*.test.ts", { cwd: root });
  expect(files.length).toBeGreaterThan(40);
  expect([...commandTests, ...hostTests].filter((file) => !files.includes(file))).toEqual([]);
});
