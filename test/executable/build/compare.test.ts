import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { differences } from "../../../build/release/compare.ts";
import { pack } from "../../../build/release/pack.ts";
import { scratch } from "../../support/tree.ts";

function archiveOf(files: Record<string, string>, epoch = 1_700_000_000): string {
  const directory = join(scratch(), "content");
  mkdirSync(directory);
  for (const [name, text] of Object.entries(files)) {
    if (name.endsWith("-wrapper")) symlinkSync(text, join(directory, name));
    else writeFileSync(join(directory, name), text);
  }
  pack(directory, join(directory, "../archive.tgz"), epoch);
  return join(directory, "../archive.tgz");
}

const files = { LICENSE: "Apache", "cni-wrappers": "0123456789", "bridge-wrapper": "cni-wrappers" };

test("the same archive has no differences", () => {
  expect(differences(archiveOf(files), archiveOf(files))).toEqual([]);
});

test.each<[string, Record<string, string>, string[]]>([
  ["a byte", { ...files, "cni-wrappers": "0123X56789" }, ["cni-wrappers differs at byte 4"]],
  ["a size", { ...files, "cni-wrappers": "01234" }, ["cni-wrappers differs at byte 5 (10 and 5 bytes)"]],
  [
    "bytes at the end",
    { ...files, "cni-wrappers": "0123456789ab" },
    ["cni-wrappers differs at byte 10 (10 and 12 bytes)"],
  ],
  ["a link", { ...files, "bridge-wrapper": "elsewhere" }, ["bridge-wrapper differs at byte 3 (15 and 12 bytes)"]],
  ["a file more", { ...files, NOTICE: "" }, ["NOTICE is missing in the archive"]],
  [
    "a file less",
    { LICENSE: "Apache", "bridge-wrapper": "cni-wrappers" },
    ["cni-wrappers is not in the archive that the sources give"],
  ],
  [
    "each file, by name",
    { NOTICE: "", "bridge-wrapper": "cni-wrappers" },
    [
      "LICENSE is not in the archive that the sources give",
      "NOTICE is missing in the archive",
      "cni-wrappers is not in the archive that the sources give",
    ],
  ],
])("%s is named", (_, others, expected) => {
  expect(differences(archiveOf(files), archiveOf(others))).toEqual(expected);
});

test("a pipe or a directory instead of a file is named", () => {
  const directory = scratch();
  execFileSync("mkfifo", [join(directory, "LICENSE")]);
  mkdirSync(join(directory, "cni-wrappers"));
  symlinkSync("cni-wrappers", join(directory, "bridge-wrapper"));
  const changed = join(scratch(), "changed.tgz");
  execFileSync("tar", ["-czf", changed, "-C", directory, "."]);
  expect(differences(archiveOf(files), changed)).toEqual([
    "LICENSE differs at byte 0 (6 and 7 bytes)",
    "cni-wrappers differs at byte 0 (10 and 7 bytes)",
  ]);
});

test("if only the archive's own bytes differ, it says so", () => {
  expect(differences(archiveOf(files), archiveOf(files, 1))).toEqual([
    "only the order, the times, the owners or the compression differ",
  ]);
});

test("a file that is no archive is an error, and nothing is left behind", () => {
  const left = () => readdirSync(tmpdir()).filter((name) => name.startsWith("cni-wrappers-compare-"));
  const [before, other] = [left(), join(scratch(), "archive.tgz")];
  writeFileSync(other, "no archive");
  expect(() => differences(other, archiveOf(files))).toThrow(`${other} cannot be unpacked`);
  expect(left()).toEqual(before);
});
