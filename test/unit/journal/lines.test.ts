import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { type AttachmentKey, isSameNamespace, journalFile, namespaceOf } from "../../../shared/journal/journal.ts";
import { linesText, parseFoundJournal, parseJournal, withLines } from "../../../shared/journal/lines.ts";
import { sha256 } from "../../../shared/journal/sha256.ts";
import { chainedOf, entryOf, linesOf, tryOf, zoneOfBlue } from "../support/journals.ts";

const file = "/var/lib/cni/wrappers/blue/zone:eth0";
const first = entryOf();
const text = linesText(linesOf([first]));

describe("a journal", () => {
  test("with further lines is the one that is read with them, and the one before stays as it is", () => {
    const second = { ifName: "eth1", id: "second" };
    const all = [
      ...linesOf([first, tryOf({ ...second, failed: { left: 9, addresses: [] } }), chainedOf("portmap")]),
      ...linesOf([entryOf({ ...second, isUndone: true })]),
    ];
    for (const [length] of all.entries()) {
      const before = parseJournal(zoneOfBlue, linesText(all.slice(0, length)));
      expect(withLines(before, all.slice(length))).toEqual(parseJournal(zoneOfBlue, linesText(all)));
      expect(before).toEqual(parseJournal(zoneOfBlue, linesText(all.slice(0, length))));
    }
  });

  test("has an entry once, as the last line that begins it says", () => {
    const again = (id: string) => linesText(linesOf([tryOf({ id, ifName: "eth9" })]));
    const second = linesText(linesOf([entryOf({ id: "second" })]));
    const named = (content: string) =>
      parseJournal(zoneOfBlue, content).entries.map(({ id, ifName, done }) => [id, ifName, done?.made]);
    expect(named(text + second + again(first.id))).toEqual([
      [first.id, "eth9", undefined],
      ["second", "eth0", 7],
    ]);
    expect(named(text + second + again("second"))).toEqual([
      [first.id, "eth0", 7],
      ["second", "eth9", undefined],
    ]);
  });

  test.each([undefined, ""])("without a file, or with an empty one, has none", (none) => {
    expect(parseJournal(zoneOfBlue, none)).toMatchObject({ entries: [], isTorn: false, problem: undefined });
  });

  test.each<[string, string, RegExp]>([
    ["no JSON", "nonsense\n", /whose it is/],
    ["another attachment", linesText(linesOf([entryOf({ containerId: "red" })])), /another attachment/],
    ...["network", "containerId", "runtimeIfName"].map((key): [string, string, RegExp] => [
      `a first line without ${key}`,
      text.replace(`"${key}"`, '"other"'),
      /whose it is/,
    ]),
    ["a newer format", text.replace('"format":1', '"format":2'), /newer/],
    ["a later line of a newer version", `${text}{"line":"moved"}\n`, /newer/],
  ])("cannot be read: %s", (_, content, problem) => {
    expect(parseJournal(zoneOfBlue, content)).toMatchObject({ entries: [], problem: expect.stringMatching(problem) });
  });

  const texts = ["id", "type", "role", "ifName", "delegateNetwork", "path", "args", "bootId", "checksum"];
  test.each([
    ...texts.map((key) => ({ [key]: 1 })),
    ...[{ uptime: "now" }, { namespace: "4:5" }, { wrapper: [] }, { configuration: [] }],
    ...[{ path: 1 }, { device: "4" }, { inode: null }, { changedMs: "0" }].map((odd) => ({
      namespace: { path: "/run/netns/blue", device: 4, inode: 5, ...odd },
    })),
  ])("leaves out an entry with %j", (changes) => {
    const [began = {}] = linesOf([entryOf({ id: "odd" })]);
    const content = `${text}${JSON.stringify({ ...began, ...changes })}\n`;
    expect(parseJournal(zoneOfBlue, content)).toMatchObject({ entries: [{ id: first.id }], problem: undefined });
  });

  test.each<["done" | "failed", object, boolean]>([
    ["done", {}, true],
    ["done", { addresses: "10.1.0.2" }, false],
    ["done", { routed: "2001:db8::5/64" }, false],
    ["done", { routed: ["2001:db8::5/64"] }, true],
    ["failed", {}, true],
    ["failed", { left: 9, addresses: ["10.1.0.2/24"] }, true],
    ["failed", { left: "9" }, false],
    ["failed", { left: null }, false],
    ["failed", { left: 9, addresses: "10.1.0.2/24" }, false],
    ["failed", { addresses: [1] }, false],
  ])("takes a line %s with %j: %s", (line, changes, isTaken) => {
    const end = { line, id: "odd", ...(line === "done" && { addresses: [] }), ...changes };
    const began = linesText(linesOf([tryOf({ id: "odd" })]));
    const { entries } = parseJournal(zoneOfBlue, `${text}${began}${JSON.stringify(end)}\n`);
    expect(entries.map(({ id }) => id)).toEqual([first.id, "odd"]);
    expect(entries[1]?.[line] !== undefined).toBe(isTaken);
  });

  test.each<[string, object]>([
    ["that gives up something else than a list", { line: "given up", ids: first.id }],
    ...["done", "failed", "undone"].map((line): [string, object] => [
      `about an entry that it does not have: ${line}`,
      { line, id: "none", addresses: [] },
    ]),
  ])("leaves out a line %s", (_, line) => {
    const content = `${text}${JSON.stringify(line)}\n`;
    expect(parseJournal(zoneOfBlue, content)).toMatchObject({ entries: [first], problem: undefined });
  });

  test.each([["1"], [null]])("cannot be read if its format is %j", (format) => {
    const content = `${text}${JSON.stringify({ ...linesOf([tryOf({ id: "odd" })])[0], format })}\n`;
    expect(parseJournal(zoneOfBlue, content).problem).toMatch(/newer version/);
  });

  test("that is found says whose it is, by its first line", () => {
    expect(parseFoundJournal(file, text)).toMatchObject({ key: zoneOfBlue, entries: [first] });
    expect(parseFoundJournal("/var/lib/cni/wrappers/red/zone:eth0", text)).toBeUndefined();
    expect(parseFoundJournal(file, "")).toBeUndefined();
  });
});

describe("the file of a journal", () => {
  test("has a checksum for a name if the name would have more than 255 bytes", () => {
    const key: AttachmentKey = { network: "n".repeat(254), containerId: "c".repeat(256), runtimeIfName: "eth0" };
    expect(journalFile(key)).toMatch(/^\/var\/lib\/cni\/wrappers\/[0-9a-f]{64}\/[0-9a-f]{64}$/);
    expect(journalFile({ ...key, network: "n".repeat(250) })).toMatch(/n{250}:eth0$/);
  });

  test("sha256 of each length up to four blocks, and of a long text, is that of node:crypto", () => {
    const lengths = [...Array(257).keys(), 9000];
    const texts = lengths.map((length) => Array.from({ length }, (_, at) => "sha-256 ~"[(at * at) % 9]).join(""));
    const theirs = texts.map((text) => createHash("sha256").update(text).digest("hex"));
    expect(texts.map(sha256)).toEqual(theirs);
  });
});

describe("a namespace", () => {
  const stat = { device: 4, inode: 9, size: 0, modifiedMs: 0, changedMs: 12.7 };
  test("is device, inode and the change time of its mount", () => {
    const one = namespaceOf("/run/netns/blue", stat);
    expect(one).toEqual({ path: "/run/netns/blue", device: 4, inode: 9, changedMs: 12 });
    const isSame = (path: string, more: object = {}) =>
      one && isSameNamespace(one, namespaceOf(path, { ...stat, ...more }));
    expect(isSame("/run/netns/other")).toBe(true);
    expect(isSame("/run/netns/blue", { changedMs: 99 })).toBe(false);
    expect(isSame("/run/netns/blue", { device: stat.device + 1 })).toBe(false);
    expect(one && isSameNamespace(one, undefined)).toBe(false);
  });

  test("has no time in /proc", () => {
    const ofProcess = namespaceOf("/proc/7/ns/net", stat);
    expect(ofProcess).toEqual({ path: "/proc/7/ns/net", device: 4, inode: 9 });
    const mounted = namespaceOf("/run/netns/blue", stat);
    expect(ofProcess && isSameNamespace(ofProcess, mounted)).toBe(true);
    expect(mounted && isSameNamespace(mounted, ofProcess)).toBe(true);
  });

  test("has no time behind a link to a process", () => {
    const linked = namespaceOf("/run/netns/blue", { ...stat, isUnnamed: true });
    expect(linked).toEqual({ path: "/run/netns/blue", device: 4, inode: 9 });
  });
});
