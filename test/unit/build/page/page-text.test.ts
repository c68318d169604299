import { createHash } from "node:crypto";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { runInNewContext } from "node:vm";
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

  test("offers README's plain list and the lists of conf-examples/, in their order", () => {
    const [literal = ""] = insides(/JSON\.parse\((`\[\[.*?`)\)/gs);
    const examples: [string, string][] = JSON.parse(runInNewContext(literal));
    const files = readdirSync(join(root, "conf-examples")).filter((name) => name.endsWith(".conflist"));
    expect(examples.map(([name]) => name)).toEqual(["README's plain list", ...files.sort()]);
    const [plain, wrapped] = ["README's plain list", "macvlan-bridge.conflist"].map((name) => {
      const { plugins } = JSON.parse(examples.find(([one]) => one === name)?.[1] ?? "{}");
      return plugins.map(({ type, wrapper }: Record<string, unknown>) => [type, wrapper]);
    });
    expect(plain).toEqual([
      ["macvlan", undefined],
      ["bridge", undefined],
    ]);
    expect(wrapped).toEqual([
      ["macvlan-wrapper", undefined],
      ["bridge-wrapper", { ifName: "eth1" }],
    ]);
  });

  test("says its version, and no project's address that is a placeholder", () => {
    const outside = page.html.replace(/<script>.*?<\/script>/s, "");
    expect([outside.includes("1.2.3"), outside.includes("How:"), outside.includes("{{")]).toEqual([true, false, false]);
  });

  test("has the licence of each package in it", () => {
    expect(page.html).toContain("Copyright (C) 2018-2021 by Marijn Haverbeke");
    for (const name of ["@codemirror/view", "@lezer/json", "zod", "jsonc-parser", "diff"]) {
      expect(page.html).toMatch(new RegExp(`^${name} \\d`, "m"));
    }
  });
});
