import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Metafile } from "esbuild";
import { afterAll, expect, test } from "vitest";
import { type Component, sorted, textsIn, withoutText } from "../../../../build/inside/component.ts";
import { noticeText } from "../../../../build/inside/notice.ts";
import { npmPackages } from "../../../../build/inside/npm-packages.ts";
import { rustTexts } from "../../../../build/inside/toolchain-parts.ts";

const tree = mkdtempSync(join(tmpdir(), "cni-wrappers-inside-"));
afterAll(() => rmSync(tree, { recursive: true, force: true }));

function addPackage(directory: string, manifest: object, files: Record<string, string>): void {
  mkdirSync(join(tree, directory), { recursive: true });
  for (const [name, text] of Object.entries({ "package.json": JSON.stringify(manifest), ...files })) {
    writeFileSync(join(tree, directory, name), text);
  }
}

addPackage("node_modules/@scope/one", { name: "@scope/one", version: "1.0.0", license: "MIT" }, { LICENSE: "one's" });
addPackage("node_modules/two", { name: "two", version: "2.0.0", license: "ISC" }, { "readme.md": "no licence" });
addPackage("node_modules/two/node_modules/three", { name: "three", version: "3.0.0", license: "0BSD" }, {});

function bundleOf(files: Record<string, number>): Metafile {
  const inputs = Object.fromEntries(Object.entries(files).map(([path, bytes]) => [path, { bytesInOutput: bytes }]));
  return { inputs: {}, outputs: { "cli.js": { inputs, bytes: 0, imports: [], exports: [] } } };
}

test("only packages with bytes in a bundle are inside", () => {
  const files = {
    "cli/main.ts": 10,
    "node_modules/@scope/one/index.js": 1,
    "node_modules/@scope/one/lib/more.js": 1,
    "node_modules/two/index.js": 0,
    "node_modules/two/node_modules/three/index.js": 1,
  };
  expect(npmPackages(tree, [bundleOf(files)])).toEqual([
    { name: "@scope/one", version: "1.0.0", purl: "pkg:npm/%40scope/one@1.0.0", licence: "MIT", texts: ["one's"] },
    { name: "three", version: "3.0.0", purl: "pkg:npm/three@3.0.0", licence: "0BSD", texts: [] },
  ]);
});

test("a package without a licence text is named", () => {
  const files = { "node_modules/two/index.js": 1, "node_modules/@scope/one/index.js": 1 };
  expect(withoutText(npmPackages(tree, [bundleOf(files)]))).toEqual(["two 2.0.0"]);
});

test("the usual names of licence files are known", () => {
  const others = ["index.js", "README", "no-license"];
  const names = ["COPYING", "LICENSE-MIT", "license", "LICENCE.md", "NOTICE", "UNLICENSE", ...others];
  addPackage("texts", {}, Object.fromEntries(names.map((name) => [name, name])));
  mkdirSync(join(tree, "texts/LICENSES"));
  expect(textsIn(join(tree, "texts"))).toEqual([
    "COPYING",
    "LICENCE.md",
    "LICENSE-MIT",
    "NOTICE",
    "UNLICENSE",
    "license",
  ]);
});

test("components are sorted by name and version, each once", () => {
  const component = (name: string, version: string): Component => ({ name, version, purl: "", licence: "", texts: [] });
  const [a1, a2, b1] = [component("a", "1"), component("a", "2"), component("b", "1")];
  expect(sorted([b1, a2, a1, component("a", "2")])).toEqual([a1, a2, b1]);
});

test("a NOTICE lists everything, and has each text once", () => {
  const component = (name: string, texts: string[]): Component => {
    return { name, version: "1.0", purl: `pkg:generic/${name}@1.0`, licence: "MIT", texts };
  };
  const text = noticeText("cni-wrappers-linux-amd64 1.2.3", [
    component("one", ["A text\n  in two lines"]),
    component("two", ["A text in two lines\n", "Another"]),
  ]);
  const line = "=".repeat(80);
  expect(text.split("\n")).toEqual([
    "cni-wrappers-linux-amd64 1.2.3",
    "Its own licence is in the file LICENSE. It contains the software below, each with its own licence:",
    "",
    "  one 1.0: MIT",
    "  two 1.0: MIT",
    "",
    ...[line, "one 1.0, two 1.0", line, "", "A text", "  in two lines", ""],
    ...[line, "two 1.0", line, "", "Another", ""],
  ]);
});

test("the page about Rust's library gives the overview and each text, without marks", () => {
  const page = `<h1>Title</h1><h2 id="in-tree-files">In-tree files</h2>\n<p><b>License:</b> MIT</p>
    <h3>cfg-if</h3><details><summary>LICENSE</summary><pre>
by &#34;Alex&#34; &#60;a@b&#62;</pre></details>`;
  expect(rustTexts(page)).toEqual(["In-tree files\nLicense: MIT\n cfg-if", '\nby "Alex" <a@b>']);
});
