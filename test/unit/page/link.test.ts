import { deflateRawSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { linkPart, listInLink } from "../../../cli/page/link.ts";

const partOf = (bytes: Uint8Array) => `#list=${deflateRawSync(bytes).toString("base64url")}`;

describe("a link", () => {
  test.each([
    ["nothing", ""],
    ["a short text", "{}"],
    ["signs of several bytes", '{ "name": "zöne \u{1f310}" }\r\n'],
    ["a mark of the byte order", "\ufeff{}"],
    ["several pieces, with each sign of base64", Array.from({ length: 3000 }, (_, i) => (i * i) % 997).join("")],
    ["the longest text, of the most bytes", "\u4e00".repeat(32 * 1024)],
  ])("%s comes back", async (_, text) => {
    expect(await listInLink(await linkPart(text))).toBe(text);
  });

  test("zlib of another program makes a link, too", async () => {
    expect(await listInLink(partOf(Buffer.from("a list")))).toBe("a list");
  });

  test.each([
    ["another part", "#usage"],
    ["a part before it", `#a${partOf(Buffer.from("a list"))}`],
    ["more after it", `${partOf(Buffer.from("a list"))}&a`],
    ["no base64", "#list=<script>"],
    ["half a letter", "#list=a"],
    ["not compressed", `#list=${Buffer.from("plain text").toString("base64url")}`],
    ["not UTF-8", partOf(Buffer.from([0xff, 0xfe, 0x00]))],
    ["a text of more than 32 KB", partOf(Buffer.from("x".repeat(32 * 1024 + 1)))],
    ["a short link with a text of 200 MB", partOf(Buffer.alloc(200_000_000))],
  ])("%s is none", async (_, part) => {
    expect(await listInLink(part)).toBeUndefined();
  });
});
