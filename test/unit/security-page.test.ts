import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";

// Each promise in docs/security.md names a test. It must exist.

const docs = path.resolve(import.meta.dirname, "../../docs");
const page = readFileSync(path.join(docs, "security.md"), "utf8");
const [, table = ""] = /^## Promises$(.*?)^## /ms.exec(page) ?? [];
const rows = table.split("\n").filter((line) => line.startsWith("| ") && !line.startsWith("| promise |"));
const promises = rows.map((row) => {
  const [, promise = "", file = "", title = ""] = /^\| (.+) \| \[.*?\]\((.+?)\): (.+) \|$/.exec(row) ?? [];
  return { row, promise, file: path.join(docs, file), title };
});

describe("a promise of docs/security.md", () => {
  test("there are some", () => expect(promises.length).toBeGreaterThan(20));

  test.each(promises)("$promise", ({ row, file, title }) => {
    expect(title, row).not.toBe("");
    expect(existsSync(file), file).toBe(true);
    const source = readFileSync(file, "utf8");
    expect(
      [`"${title}"`, `\`${title}\``, `"${title.replaceAll('"', '\\"')}"`].some((text) => source.includes(text)),
    ).toBe(true);
  });
});
