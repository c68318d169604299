import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { withoutText } from "../../../build/inside/component.ts";
import { jqParts, nodeBase } from "../../../build/inside/node-parts.ts";
import { npmPackages } from "../../../build/inside/npm-packages.ts";
import { built, root } from "../../support/tree.ts";

const packages = npmPackages(root, Object.values(JSON.parse(readFileSync(built("meta.json"), "utf8"))));
const { dependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  dependencies: Record<string, string>;
};

test("every dependency of the commands is inside, and each package has a licence text", () => {
  const names = packages.map(({ name, version }) => `${name} ${version}`);
  expect(names).toEqual(
    expect.arrayContaining(Object.entries(dependencies).map(([name, version]) => `${name} ${version}`)),
  );
  expect(withoutText(packages)).toEqual([]);
});

test("no tool of the build is inside", () => {
  const names = packages.map(({ name }) => name);
  expect(names.filter((name) => /^(esbuild|execa|vitest|typescript|@yao-pkg)/.test(name))).toEqual([]);
});

test("Node's licence is the one of the package that is the base", () => {
  const [text = ""] = nodeBase(process.arch).texts;
  for (const part of ["Node.js is licensed for use as follows", "- OpenSSL", "- ICU", "- V8", "- libuv"]) {
    expect(text).toContain(part);
  }
  const names = nodeBase(process.arch).parts?.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(["v8", "openssl", "uv", "icu", "zlib"]));
});

test("jq's texts are for the version of jq that the bundle has", () => {
  const [jqWasm] = packages.filter(({ name }) => name === "jq-wasm");
  if (!jqWasm) throw new Error("no jq-wasm");
  const texts = jqParts(jqWasm).map(({ name, texts: [text = ""] }) => [name, text]);
  expect(texts).toEqual([
    ["jq", expect.stringContaining("jq is copyright (C) 2012 Stephen Dolan")],
    ["oniguruma", expect.stringContaining("Oniguruma LICENSE")],
    ["emscripten", expect.stringContaining("Emscripten is available under 2 licenses")],
    ["musl", expect.stringContaining("Copyright © 2005-2020 Rich Felker")],
    ["compiler-rt", expect.stringContaining("LLVM Exceptions to the Apache 2.0 License")],
  ]);
  expect(() => jqParts({ ...jqWasm, version: "4.0.0-jq-1.9.0" })).toThrow("is for jq 1.8.2, not for 1.9.0");
});
