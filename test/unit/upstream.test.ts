import { execFileSync } from "node:child_process";
import { cpSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { readSection } from "../../build/docs/page-section.ts";
import { digestOf, partsOf, patchOf, readFaults, upstream } from "../reports/upstream/faults.ts";
import { moduleSources, outdated } from "../reports/upstream/sources.ts";
import { countsOf, merged } from "../reports/upstream/suites.ts";
import { addedLines, addressesIn, tableOf } from "../reports/upstream/table.ts";
import { verdictOf } from "../reports/upstream/verdict.ts";
import { temporary } from "../support/scratch.ts";

const faults = readFaults();
const results = JSON.parse(readFileSync(path.join(import.meta.dirname, "../reports/upstream/results.json"), "utf8"));
const headings = ["What happens", "How to see it", "What the specification says", "What the patch changes"];
headings.push("What it may break");

test("every folder of upstream has a patch, a report and its data", () => {
  const names = readdirSync(upstream).sort();
  expect(faults.map(({ name }) => name).sort()).toEqual(names);
  for (const name of names) {
    expect(readdirSync(path.join(upstream, name)).sort()).toEqual(["README.md", "fault.json", "fault.patch"]);
    const report = readFileSync(path.join(upstream, name, "README.md"), "utf8");
    const found = [...report.matchAll(/^## (.*)$/gm)].map(([, heading]) => heading);
    expect(found, name).toEqual(headings);
    expect(report, name).toMatch(/^> /m);
  }
});

test("the table has each fault, and is that of the last run", () => {
  const section = readSection("upstream");
  for (const { name } of faults) expect(section).toContain(`../upstream/${name}/README.md`);
  expect(section).toBe(tableOf(faults, results, addressesIn(section)));
});

test("an address that a person put into the table stays", () => {
  const addresses = { "../upstream/vrf-del/README.md": "https://example.org/issues/7" };
  const section = tableOf(faults, results, addresses);
  expect(section.match(/https:.*$/gm)).toEqual([expect.stringMatching(/^https:\/\/example.org\/issues\/7 +\|$/)]);
  expect(tableOf(faults, {}, addressesIn(section))).toContain("https://example.org/issues/7");
});

test("a result of patches that changed since then does not count, nor one with another release", () => {
  const [first] = faults.filter(({ name }) => name === "vrf-del");
  if (first === undefined) throw new Error("no such fault");
  const row = (patch: string) => {
    const result = { fixed: 1, unchanged: 20, neverPass: 0, problems: [], cells: [], run: [], patch };
    return tableOf([first], { [first.name]: result }, {}).split("\n")[2];
  };
  expect(row(digestOf([first]))).toContain("1 new: fail, then pass; 20 pass as before");
  expect(row("another")).toContain("| not run");
  expect(row(digestOf([{ ...first, version: "v1.9.0" }]))).toContain("| not run");
});

test.each(faults)("the commit message of $name has the form that its project asks for", (fault) => {
  const [subject = "", second, ...body] = partsOf(fault).message.trimEnd().split("\n");
  // go-cni asks for no form. Each project asks for a line "Signed-off-by" or a signed agreement, of a person.
  if (!fault.module.endsWith("/go-cni")) expect(subject).toMatch(/^[\w, -]+: /);
  expect(subject.length).toBeLessThanOrEqual(70);
  expect(second).toBe("");
  expect(Math.max(...body.map((line) => line.length))).toBeLessThanOrEqual(80);
  expect(body.join("\n")).not.toContain("Signed-off-by");
});

test("each report quotes sentences of the specification", async () => {
  const sources = await moduleSources({ module: "github.com/containernetworking/cni", version: "v1.3.0" });
  const plain = (text: string) => text.replaceAll(/\s+/g, " ").trim();
  const specification = plain(readFileSync(path.join(sources ?? "", "SPEC.md"), "utf8"));
  for (const { name } of faults) {
    const report = readFileSync(path.join(upstream, name, "README.md"), "utf8");
    const [, section = ""] = /^## What the specification says\n(.*?)^## /ms.exec(report) ?? [];
    const paragraphs = section.trim().split(/\n\n/);
    const quotes = paragraphs.filter((paragraph) => paragraph.startsWith("> "));
    expect(quotes.length, name).toBeGreaterThan(0);
    const texts = quotes.map((quote) => plain(quote.replaceAll(/^> /gm, "")));
    // Not toContain, which would print the specification.
    const invented = texts.filter((text) => !specification.includes(text));
    expect(invented, name).toEqual([]);
  }
});

test.each(faults)("the patch $name applies, and has each test that it names", async (fault) => {
  const patch = readFileSync(patchOf(fault), "utf8");
  for (const words of fault.tests) expect(patch).toContain(words);
  expect(addedLines(patch)[1]).toBeGreaterThan(0);
});

test.each(faults)("the suites of each package that $name changes run", (fault) => {
  const files = [...partsOf(fault).changes.matchAll(/^diff --git a\/(\S+)/gm)].map(([, file = ""]) => file);
  const changed = new Set(files.map((file) => path.dirname(file)));
  // It has functions for tests, and no suite.
  changed.delete("pkg/testutils");
  expect([...changed].filter((name) => !fault.packages.includes(name))).toEqual([]);
});

// `npm test` needs the other modules' sources to build. Nomad's have 42 MB, so only a machine that has them compares.
const modules = await Promise.all(
  faults.map(async (fault) => ({ fault, sources: await moduleSources(fault, !fault.module.endsWith("/nomad")) })),
);

test.each(modules.flatMap(({ fault, sources }) => (sources === undefined ? [] : [{ fault, sources }])))(
  "the patch $fault.name applies to the module",
  ({ fault, sources }) => {
    const files = [...readFileSync(patchOf(fault), "utf8").matchAll(/^--- a\/(.*)$/gm)].map(([, file = ""]) => file);
    const copy = temporary();
    for (const file of files) cpSync(path.join(sources, file), path.join(copy, file));
    const env = { ...process.env, GIT_CEILING_DIRECTORIES: tmpdir() };
    execFileSync("git", ["apply", "--check", patchOf(fault)], { cwd: copy, env });
    expect(files.length).toBeGreaterThan(0);
  },
);

test("only Nomad's sources may be missing", () => {
  const missing = modules.filter(({ sources }) => sources === undefined).map(({ fault }) => fault.name);
  expect(missing.filter((name) => name !== "nomad-add-again")).toEqual([]);
});

test("the command names modules whose patches are against an older release, and those of which it does not know", async () => {
  const versions = new Map([
    ["a/new", "v1.10.0"],
    ["a/same", "v1.2.0"],
    ["a/unknown", undefined],
  ]);
  const some = [...versions.keys()].flatMap((module) => Array(2).fill({ module, version: "v1.2.0" }));
  expect(await outdated(some, async (module) => versions.get(module))).toEqual({
    old: ["a/new v1.10.0 is out: the patches are against v1.2.0"],
    unknown: ["a/unknown: the module proxy does not say if there is a release after v1.2.0"],
  });
});

const one = (passed: number, total = 1) => ({ passed, total });

test("a patch is good if its tests fail before and pass after, and no other test changes", () => {
  const runs = {
    base: { a: one(1) },
    tests: { a: one(1), "p: new": one(0) },
    patched: { a: one(1), "p: new": one(1) },
  };
  expect(verdictOf(runs, ["new"])).toEqual({ fixed: 1, unchanged: 1, neverPass: 0, problems: [] });
});

/** The tests of a run: the old one, and the new one. */
const ran = (old: number, fresh?: number) => ({ a: one(old), ...(fresh !== undefined && { "p: new": one(fresh) }) });

test.each([
  ["not run without the fix: p: new", ran(1), ran(1, 1), ["new"]],
  ["passes without the fix: p: new", ran(1, 1), ran(1, 1), ["new"]],
  ["fails with the fix: p: new", ran(1, 0), ran(1, 0), ["new"]],
  ["changed: a: 1 of 1 pass before, 0 of 1 pass after", ran(1, 0), ran(0, 1), ["new"]],
  ["changed: a: 1 of 1 pass before, missing after", ran(1, 0), { "p: new": one(1) }, ["new"]],
  ['no new test "other"', ran(1, 0), ran(1, 1), ["new", "other"]],
  ["a new test that fault.json does not name: p: new", ran(1, 0), ran(1, 1), []],
])("a patch is not good: %s", (problem, tests, patched, wanted) => {
  expect(verdictOf({ base: ran(1), tests, patched }, wanted).problems).toEqual([problem]);
});

test("tests with the same name are counted, and the better of two kernels counts", () => {
  const named = { ContainerHierarchyTexts: ["x"], LeafNodeText: "y" };
  const spec = (State: string, LeafNodeType = "It") => ({ ...named, LeafNodeType, State });
  const counts = countsOf("p", [{ SpecReports: [spec("passed"), spec("failed"), spec("passed", "BeforeSuite")] }]);
  expect(counts).toEqual({ "p: x y": one(1, 2) });
  expect(merged(counts, { "p: x y": one(2, 2), z: one(0) })).toEqual({ "p: x y": one(2, 2), z: one(0) });
});
