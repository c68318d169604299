import { execFileSync } from "node:child_process";
import { cpSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { readSection } from "../../build/docs/page-section.ts";
import { temporary } from "../support/scratch.ts";
import { moduleSources, patchOf, readFaults, upstream } from "../support/upstream.ts";

const faults = readFaults();
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

test("the table of the page has each fault once, in their order", () => {
  const rows = [...readSection("upstream").matchAll(/^\| \[.*?\]\(\.\.\/upstream\/(.*?)\/README\.md\)/gm)];
  expect(rows.map(([, name]) => name)).toEqual(faults.map(({ name }) => name));
});

test.each(faults)("the commit message of $name has the form that its project asks for", (fault) => {
  const [subject = "", second, ...body] =
    readFileSync(patchOf(fault), "utf8").split("\ndiff --git ")[0]?.trimEnd().split("\n") ?? [];
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

test.each(faults)("the patch $name has each test that it names", (fault) => {
  const patch = readFileSync(patchOf(fault), "utf8");
  for (const words of fault.tests) expect(patch).toContain(words);
  expect(patch).toMatch(/^\+\+\+ \S+_test\.go$/m);
});

test.each(faults)("fault.json names each package that $name changes", (fault) => {
  const files = [...readFileSync(patchOf(fault), "utf8").matchAll(/^diff --git a\/(\S+)/gm)].map(
    ([, file = ""]) => file,
  );
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
