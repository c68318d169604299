import { createHash } from "node:crypto";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { beforeAll, describe, expect, test } from "vitest";
import { type Page, pageText } from "../../../../build/page/page-text.ts";

const root = join(import.meta.dirname, "../../../..");
const stamp = { version: "1.2.3", commit: "abc" };

let page: Page = { html: "", metafile: { inputs: {}, outputs: {} } };
beforeAll(async () => {
  page = await pageText(root, stamp);
});

/** What is inside of the elements of a name. */
function insides(pattern: RegExp): string[] {
  return [...page.html.matchAll(pattern)].map(([, inside = ""]) => inside);
}

const hashOf = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

describe("the page", () => {
  test("has at most 900 KB, and 300 KB for a server that compresses", () => {
    expect(Buffer.byteLength(page.html)).toBeLessThan(900_000);
    expect(gzipSync(page.html).length).toBeLessThan(300_000);
  });

  test("allows its own script and style, and nothing else", () => {
    const [script = ""] = insides(/<script>(.*?)<\/script>/gs);
    const [style = ""] = insides(/<style>(.*?)<\/style>/gs);
    expect(insides(/<meta http-equiv="Content-Security-Policy" content="(.*?)">/g)).toEqual([
      `default-src 'none'; script-src ${hashOf(script)}; style-src ${hashOf(style)}; base-uri 'none'; form-action 'none'`,
    ]);
  });

  test("is one file: it asks for no other", () => {
    const outside = page.html.replaceAll(/<(script|style)>.*?<\/\1>/gs, "");
    expect(outside).not.toMatch(/\b(?:src|href|action|data)=|url\(|@import/);
  });

  test("has no jq, and nothing of Node", () => {
    const files = Object.keys(page.metafile.inputs).join("\n");
    expect(files).not.toContain("jq-wasm");
    expect(Object.values(page.metafile.outputs).flatMap(({ imports }) => imports)).toEqual([]);
  });

  test("has the licence of each package in it", () => {
    expect(page.html).toContain("Copyright (C) 2018-2021 by Marijn Haverbeke");
    for (const name of ["@codemirror/view", "@lezer/json", "zod", "jsonc-parser", "diff"]) {
      expect(page.html).toMatch(new RegExp(`^${name} \\d`, "m"));
    }
  });
});
