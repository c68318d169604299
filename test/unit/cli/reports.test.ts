import { expect, test } from "vitest";
import { type Finding, lintFiles } from "../../../cli/lint/lint.ts";
import { githubReport, jsonReport, sarifReport, summaryOf } from "../../../cli/lint/report.ts";
import { textReport } from "../../../cli/lint/text-report.ts";
import { parseListFile } from "../../../cli/lists/list-file.ts";

const release = { version: "1.2.3", commit: "abc", flavor: "node", target: "linux-amd64", parts: {} };
const plainCreator = `{ "cniVersion": "1.0.0", "name": "zone", "plugins": [
  { "type": "macvlan", "master": "ens18" },
  { "type": "bridge-wrapper", "wrapper": { "ifName": "eth1" } }
] }`;
const file = parseListFile("dir/zone 1.conflist", plainCreator);
const findings = lintFiles([file]);
// Three characters before the mark's end take two units each.
const strange: Finding = {
  file: parseListFile("a,b:c%.conflist", '{\n"😀😀😀"'),
  position: { line: 2, column: 2 },
  end: { line: 2, column: 5 },
  place: { offset: 3, length: 6 },
  severity: "warning",
  code: "invalid-json",
  message: "100 %\nwrong",
  hint: "Do: this, that",
};

test("json: one array with the same keys for each finding", () => {
  expect(JSON.parse(jsonReport(findings))).toEqual([
    {
      file: "dir/zone 1.conflist",
      line: 2,
      column: 13,
      endLine: 2,
      endColumn: 22,
      severity: "error",
      code: "unwrapped-creator",
      message: "macvlan creates an interface and is not wrapped",
      hint: 'Change the type to "macvlan-wrapper"',
      fixable: false,
    },
  ]);
  expect(jsonReport([])).toBe("[]\n");
});

test("text: a hint that asks has one sign at its end", () => {
  const asking = { ...strange, hint: 'Did you mean "bridge-wrapper"?' };
  const text = textReport([strange, asking], { hasColors: false });
  expect(text).toContain("hint: Do: this, that. See cni-wrappers lint --explain invalid-json");
  expect(text).toContain('hint: Did you mean "bridge-wrapper"? See cni-wrappers lint --explain invalid-json');
});

test("github: one command a finding, with the characters escaped that would end a part of it", () => {
  expect(githubReport(findings)).toBe(
    "::error file=dir/zone 1.conflist,line=2,endLine=2,col=13,endColumn=22,title=unwrapped-creator::" +
      'macvlan creates an interface and is not wrapped. Change the type to "macvlan-wrapper"\n',
  );
  expect(githubReport([strange])).toBe(
    "::warning file=a%2Cb%3Ac%25.conflist,line=2,endLine=2,col=2,endColumn=5,title=invalid-json::" +
      "100 %25%0Awrong. Do: this, that\n",
  );
});

test("sarif: results refer to their rules, and places count characters", () => {
  const { version, runs } = JSON.parse(sarifReport([...findings, strange], { release }));
  expect([version, runs.length, runs[0].columnKind]).toEqual(["2.1.0", 1, "unicodeCodePoints"]);
  const { tool, results } = runs[0];
  expect(tool.driver).toMatchObject({ name: "cni-wrappers", version: "1.2.3" });
  expect(results.map(({ ruleIndex }: { ruleIndex: number }) => tool.driver.rules[ruleIndex].id)).toEqual([
    "unwrapped-creator",
    "invalid-json",
  ]);
  expect(tool.driver.rules.filter(({ help }: { help: { text: string } }) => !help.text)).toEqual([]);
  expect(results.map(({ level }: { level: string }) => level)).toEqual(["error", "warning"]);
  expect(results.map((result: { locations: { physicalLocation: object }[] }) => result.locations[0])).toEqual([
    {
      physicalLocation: {
        artifactLocation: { uri: "dir/zone%201.conflist" },
        region: { startLine: 2, startColumn: 13, endLine: 2, endColumn: 22 },
      },
    },
    {
      physicalLocation: {
        artifactLocation: { uri: "a%2Cb%3Ac%25.conflist" },
        region: { startLine: 2, startColumn: 2, endLine: 2, endColumn: 5 },
      },
    },
  ]);
});

test("sarif: an absolute path is a file URL", () => {
  const text = sarifReport([{ ...strange, file: parseListFile("/opt/a b.conflist", "{") }], { release });
  expect(text).toContain('"file:///opt/a%20b.conflist"');
});

test("the summary counts errors, warnings and files", () => {
  const other = parseListFile("other.conflist", plainCreator);
  const clean = parseListFile("clean.conflist", "{}");
  expect(summaryOf([file, clean], findings)).toBe("1 error in 1 of 2 files");
  expect(summaryOf([file, strange.file, other], [...lintFiles([file, other]), strange])).toBe(
    "2 errors, 1 warning in 3 of 3 files",
  );
  expect(summaryOf([strange.file], [strange, strange])).toBe("2 warnings in 1 of 1 file");
  expect(summaryOf([clean], [strange])).toBe("1 warning on the host");
  expect(summaryOf([clean], [])).toBe("no mistakes in 1 file");
});

test("a place at the start of a line is in that line", () => {
  const [finding] = lintFiles([parseListFile("x.conflist", "{\n,}")]);
  expect([finding?.position, finding?.end]).toEqual([
    { line: 2, column: 1 },
    { line: 2, column: 2 },
  ]);
});
