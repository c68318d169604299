import { expect, test } from "vitest";
import { type Finding, lintFiles } from "../../../cli/lint/lint.ts";
import { githubReport, sarifReport, summaryOf } from "../../../cli/lint/report.ts";
import { textReport } from "../../../cli/lint/text-report.ts";
import { parseListFile } from "../../../cli/lists/list-file.ts";
import { printable } from "../../../cli/terminal.ts";

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

test("text: the place, the message, the line with a mark, and the hint, in colors", () => {
  const styles = (begin: number, end: number) => (text: string) => `\u001b[${begin}m${text}\u001b[${end}m`;
  const [bold, dim, red, yellow] = [styles(1, 22), styles(2, 22), styles(31, 39), styles(33, 39)];
  expect(printable(textReport([...findings, strange], { hasColors: true }))).toBe(
    [
      `${bold("dir/zone 1.conflist:2:13:")} ${red("error:")} macvlan creates an interface and is not wrapped ${dim("[unwrapped-creator]")}`,
      ' 2 |   { "type": "macvlan", "master": "ens18" },',
      `   | ${red("            ^~~~~~~~~")}`,
      'hint: Change the type to "macvlan-wrapper". See cni-wrappers lint --explain unwrapped-creator\n',
      `${bold("a,b:c%.conflist:2:2:")} ${yellow("warning:")} 100 %\\nwrong ${dim("[invalid-json]")}`,
      ' 2 | "😀😀😀"',
      `   | ${yellow(" ^~~~~~")}`,
      "hint: Do: this, that. See cni-wrappers lint --explain invalid-json\n",
    ].join("\n"),
  );
});

test("text: a finding about the host has no line, and no line is shown of a file that is no list", () => {
  const words = (text: string) =>
    textReport([{ ...strange, file: parseListFile("x", text), place: { offset: 0, length: 1 } }], { hasColors: false });
  expect(words("").split("\n")[0]).toBe("x: warning: 100 %\\nwrong [invalid-json]");
  expect(words("").split("\n")[1]).toMatch(/^hint: /);
  expect(words("secret {").split("\n")[1]).toMatch(/^hint: /);
  for (const text of ["{\n}", " \n[", '"x"\n', "/* x */\n", "\uFEFF{\n"]) expect(words(text)).toContain("   | ");
});

test("text: of a long line, 200 characters before the mark and 400 in all, and a tab is a column", () => {
  const shown = (before: number, after: number) => {
    const text = `{\t${"a".repeat(before - 2)}"b"${"c".repeat(after - 3)}\n`;
    const long = { ...strange, file: parseListFile("x", text), position: { line: 1, column: before + 1 } };
    const report = textReport([{ ...long, place: { offset: before, length: 3 } }], { hasColors: false });
    return report.split("\n").slice(1, 3);
  };
  const line = (before: string, after: number) => ` 1 | ${before}"b"${"c".repeat(after)}`;
  const mark = (before: number) => `   | ${" ".repeat(before)}^~~`;
  expect(shown(10, 10)).toEqual([line(`{ ${"a".repeat(8)}`, 7), mark(10)]);
  expect(shown(200, 200)).toEqual([line(`{ ${"a".repeat(198)}`, 197), mark(200)]);
  expect(shown(200, 201)).toEqual([`${line(`{ ${"a".repeat(198)}`, 197)}…`, mark(200)]);
  expect(shown(201, 200)).toEqual([line(`… ${"a".repeat(199)}`, 197), mark(201)]);
  expect(shown(300, 300)).toEqual([`${line(`…${"a".repeat(200)}`, 197)}…`, mark(201)]);
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
  expect(githubReport([])).toBe("");
  expect(githubReport([{ ...strange, message: "a\r\nb" }])).toContain("::a%0D%0Ab. Do: this, that\n");
  expect(githubReport([strange])).toBe(
    "::warning file=a%2Cb%3Ac%25.conflist,line=2,endLine=2,col=2,endColumn=5,title=invalid-json::" +
      "100 %25%0Awrong. Do: this, that\n",
  );
});

test("sarif: results refer to their rules, and places count characters", () => {
  const { $schema, version, runs } = JSON.parse(sarifReport([...findings, strange], { release }));
  expect($schema).toBe("https://json.schemastore.org/sarif-2.1.0.json");
  expect([version, runs.length, runs[0].columnKind]).toEqual(["2.1.0", 1, "unicodeCodePoints"]);
  const { tool, results } = runs[0];
  expect(tool.driver).toMatchObject({ name: "cni-wrappers", version: "1.2.3" });
  expect(results.map(({ ruleIndex }: { ruleIndex: number }) => tool.driver.rules[ruleIndex].id)).toEqual([
    "unwrapped-creator",
    "invalid-json",
  ]);
  expect(tool.driver.rules.filter(({ help }: { help: { text: string } }) => !help.text)).toEqual([]);
  const [named] = tool.driver.rules.filter(({ id }: { id: string }) => id === "unwrapped-creator");
  const { text } = named.help;
  expect(named).toEqual({
    ...{ id: "unwrapped-creator", help: { text, markdown: text }, defaultConfiguration: { level: "error" } },
    shortDescription: { text: "A list has several interface plugins, and one of them is not wrapped." },
  });
  expect(results.map(({ level, ruleId, message }: Record<string, unknown>) => [level, ruleId, message])).toEqual([
    [
      "error",
      "unwrapped-creator",
      { text: 'macvlan creates an interface and is not wrapped. Change the type to "macvlan-wrapper".' },
    ],
    ["warning", "invalid-json", { text: "100 %\nwrong. Do: this, that." }],
  ]);
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
