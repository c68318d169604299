import { globSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { type Finding, lintFiles } from "../../../cli/lint/lint.ts";
import { readListFile } from "../../../cli/lists/find-files.ts";
import { rules } from "../../../cli/rules/index.ts";
import { findingsOf } from "../../support/lint-findings.ts";

const root = path.join(import.meta.dirname, "../../..");
const fixtures = path.join(root, "test/fixtures/lint");

/** For each file of a rule's folder, what `lint` must find: line:column, severity, message and hint. */
type Expected = Record<string, { findings: string[] }>;

test("each rule has a file and a folder of fixtures of its name, and there are no others", () => {
  const codes = rules.map(({ code }) => code).sort();
  const files = globSync("*.ts", { cwd: path.join(root, "cli/rules") }).filter(
    (file) => !["all.ts", "index.ts"].includes(file),
  );
  expect(files.map((file) => path.basename(file, ".ts")).sort()).toEqual(codes);
  expect(readdirSync(fixtures).sort()).toEqual(codes);
});

const docs = readFileSync(path.join(root, "docs/lint.md"), "utf8");

describe.each(rules)("$code", ({ code, severity, title, page }) => {
  const folder = path.join(fixtures, code);
  const expected: Expected = JSON.parse(readFileSync(path.join(folder, "expected.json"), "utf8"));
  const names = readdirSync(folder).filter((name) => name !== "expected.json");

  test("has its row and its section in docs/lint.md", () => {
    const row = docs.split("\n").find((line) => line.startsWith(`| [${code}](#${code}) `));
    expect(row?.split("|").map((cell) => cell.trim())).toEqual(["", `[${code}](#${code})`, severity, title, ""]);
    expect(docs).toContain(`\n## ${code}\n\n${page}\n\n`);
  });

  test("has faulty files and right ones, and each is expected to be so", () => {
    expect(Object.keys(expected).sort()).toEqual(names.sort());
    const isFaulty = Object.entries(expected).map(([name, { findings }]) => [
      name.startsWith("err"),
      findings.length > 0,
    ]);
    expect(isFaulty.filter(([named, found]) => named !== found)).toEqual([]);
    expect(new Set(names.map((name) => name.slice(0, 2)))).toEqual(new Set(["er", "ok"]));
  });

  test.each(Object.entries(expected))("%s", (name, { findings }) => {
    const isFile = /\.\w+$/.test(name);
    const found = findingsOf(path.join(folder, name));
    const seen = found.map((finding) => [isFile ? wordsOf(finding) : wordsInFolder(finding), finding.code]);
    expect(seen).toEqual(findings.map((finding) => [finding, code]));
  });
});

// Each is for a host of its own: several have the same subnet.
test("each example is clean", () => {
  const examples = globSync("conf-examples/*.conflist", { cwd: root });
  expect(examples.length).toBeGreaterThan(15);
  expect(examples.flatMap((name) => lintFiles([readListFile(name, root)]))).toEqual([]);
});

function wordsOf({ position, severity, message, hint }: Finding): string {
  return `${position.line}:${position.column} ${severity}: ${message}. ${hint}`;
}

function wordsInFolder(finding: Finding): string {
  return `${finding.file.path} ${wordsOf(finding)}`;
}
