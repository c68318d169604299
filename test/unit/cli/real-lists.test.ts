import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { lintFiles } from "../../../cli/lint/lint.ts";
import { readListFile } from "../../../cli/lists/find-files.ts";

const folder = path.join(import.meta.dirname, "../../fixtures/lists");

/** Where a list's shape was seen, and what a reader agrees is wrong with it. The file itself is written anew. */
interface Source {
  readonly repository: string;
  readonly path: string;
  readonly findings: readonly { readonly code: string; readonly why: string }[];
}

const sources: Record<string, Source> = JSON.parse(readFileSync(path.join(folder, "sources.json"), "utf8"));

describe("lists as people write them", () => {
  test("each file has a source", () => {
    const names = readdirSync(folder).filter((name) => name !== "sources.json");
    expect(Object.keys(sources).sort()).toEqual(names.sort());
    expect(names.length).toBeGreaterThanOrEqual(45);
    for (const { repository, path } of Object.values(sources)) {
      expect(repository).toMatch(/^[\w.-]+\/[\w.-]+$/);
      expect(path).not.toBe("");
    }
  });

  test.each(Object.entries(sources))("%s", (name, { findings }) => {
    const found = lintFiles([readListFile(name, folder)]);
    const seen = found.map(({ code, position, message }) => `${code} (${position.line}: ${message})`);
    expect(found.map(({ code }) => code).sort(), seen.join("\n")).toEqual(findings.map(({ code }) => code).sort());
    for (const { why } of findings) expect(why).toMatch(/^[A-Z].*\.$/);
  });
});
