import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { backUp, writeAtomically } from "../../../../cli/files/atomic-write.ts";
import { Trouble } from "../../../../cli/trouble.ts";

let directory: string;
let file: string;

beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), "atomic-write-"));
  file = path.join(directory, "zone.conflist");
});

afterEach(() => rmSync(directory, { recursive: true }));

test("replaces the text and keeps the mode", () => {
  writeFileSync(file, "old");
  chmodSync(file, 0o640);
  writeAtomically(file, "new");
  expect(readFileSync(file, "utf8")).toBe("new");
  expect(statSync(file).mode & 0o7777).toBe(0o640);
  expect(readdirSync(directory)).toEqual(["zone.conflist"]);
});

test("makes a new file that everybody can read", () => {
  writeAtomically(file, "new");
  expect(readFileSync(file, "utf8")).toBe("new");
  expect(statSync(file).mode & 0o444).toBe(0o444);
});

test("a reader that has the file open still reads the old text", () => {
  writeFileSync(file, "the old text");
  const reader = openSync(file, "r");
  writeAtomically(file, "new");
  expect(readFileSync(reader, "utf8")).toBe("the old text");
});

test("follows a link, and keeps it", () => {
  const link = path.join(directory, "link.conflist");
  writeFileSync(file, "old");
  symlinkSync("zone.conflist", link);
  writeAtomically(link, "new");
  expect(lstatSync(link).isSymbolicLink()).toBe(true);
  expect(readFileSync(file, "utf8")).toBe("new");
});

test("leaves nothing if it fails, and says which path", () => {
  mkdirSync(file);
  expect(() => writeAtomically(file, "new")).toThrow(new Trouble(`${file}: is a directory`));
  expect(readdirSync(directory)).toEqual(["zone.conflist"]);
  expect(() => writeAtomically(path.join(directory, "none/zone"), "new")).toThrow(/there is no such file$/);
});

test("the temporary file is in the named directory, not next to the file", () => {
  writeFileSync(file, "old");
  expect(() => writeAtomically(file, "new", { beside: "/nowhere" })).toThrow("there is no such file");
  expect(readFileSync(file, "utf8")).toBe("old");
});

test("a backup never replaces an older one", () => {
  writeFileSync(file, "first");
  expect(backUp(file)).toBe(`${file}.bak`);
  writeFileSync(file, "second");
  expect(backUp(file)).toBe(`${file}.bak.1`);
  expect(backUp(file)).toBe(`${file}.bak.2`);
  expect(readFileSync(`${file}.bak`, "utf8")).toBe("first");
  expect(readFileSync(`${file}.bak.1`, "utf8")).toBe("second");
  expect(() => backUp(path.join(directory, "none"))).toThrow(/none.bak: there is no such file$/);
});
