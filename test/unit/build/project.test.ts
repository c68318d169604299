import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { placeholders, readProject } from "../../../build/project.ts";
import { temporary } from "../../support/scratch.ts";

test("the project is the author and the repository of package.json", () => {
  const manifest = {
    author: "Jane Doe <jane@host.example>",
    repository: { type: "git", url: "git+https://host.example/jane/wrappers.git" },
  };
  const directory = temporary();
  writeFileSync(join(directory, "package.json"), JSON.stringify(manifest));
  const project = readProject(directory);
  expect(project).toEqual({ maintainer: manifest.author, repository: "https://host.example/jane/wrappers" });
  expect(placeholders(project)).toEqual([]);
});

test.each([
  ["Us <us@cni-wrappers.invalid>", "https://host.example/us", ["author"]],
  ["Us <us@host.example>", "https://cni-wrappers.invalid/us", ["repository"]],
])("%s, %s: an address that cannot exist is a placeholder", (maintainer, repository, fields) => {
  expect(placeholders({ maintainer, repository })).toEqual(fields);
});

test("no other file of the build has a placeholder, or an address of its own", () => {
  const root = join(import.meta.dirname, "../../..");
  for (const file of ["build/packages/package.ts", "build/release/provenance.ts", "build/npm/package.ts"]) {
    expect(readFileSync(join(root, file), "utf8")).not.toMatch(/\.invalid|localhost/);
  }
});
