import { closeSync, fstatSync, openSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { filesIn, listed, longestList, readInput, readOpened } from "../../../../cli/files/read-input.ts";
import { Trouble } from "../../../../cli/terminal.ts";
import { temporary } from "../../../support/scratch.ts";
import { failWith, intercept } from "../../support/file-functions.ts";

test("a file may have as many bytes as the limit, and not one more", () => {
  const file = join(temporary(), "list");
  writeFileSync(file, Buffer.alloc(longestList, " "));
  expect(readInput("list", file, longestList)).toHaveLength(longestList);
  writeFileSync(file, Buffer.alloc(longestList + 1, " "));
  expect(() => readInput("list", file, longestList)).toThrow("list: it has more than 1 MiB");
});

test("a file for which another user puts a link into its place is not read through the link", () => {
  const place = temporary();
  const file = join(place, "list");
  for (const name of ["list", "secret"]) writeFileSync(join(place, name), name);
  intercept("lstatSync", (lstatSync) => (path: string) => {
    const found = lstatSync(path);
    unlinkSync(file);
    symlinkSync("secret", file);
    return found;
  });
  expect(() => readInput("list", file, longestList)).toThrow("list: its symbolic links form a circle");
});

test("a device is not read, and does not stay open", () => {
  let opened = -1;
  intercept("openSync", (openSync) => (path: string, flags: number) => {
    opened = openSync(path, flags);
    return opened;
  });
  expect(() => readInput("list", "/dev/null", longestList)).toThrow("list: it is not a regular file");
  expect(() => fstatSync(opened)).toThrow("EBADF");
});

test("a directory that is opened, as by `lint - < DIRECTORY`, is trouble", () => {
  const file = openSync(temporary(), "r");
  expect(() => readOpened("stdin", file, longestList)).toThrow(new Trouble("stdin: is a directory"));
  closeSync(file);
});

test("a name that begins with a dot is that of a file that was not finished", () => {
  const place = temporary();
  for (const name of ["b", "a.", ".c"]) writeFileSync(join(place, name), "");
  expect(filesIn(place)).toEqual(["a.", "b"]);
});

test("a link to a directory that is missing is not an empty directory", () => {
  const place = temporary();
  symlinkSync("nowhere", join(place, "results"));
  expect(() => filesIn(join(place, "results"))).toThrow(`${place}/results: there is no such file`);
  expect(filesIn(join(place, "none"))).toEqual([]);
  expect(listed(join(place, "results"), true)).toEqual([]);
});

test("a directory that cannot be read is not empty, also where a file may be in its place", () => {
  const place = temporary();
  writeFileSync(join(place, "file"), "");
  expect(listed(join(place, "file"), true)).toEqual([]);
  failWith("EACCES", "readdirSync");
  expect(() => listed(join(place, "file"), true)).toThrow(`${place}/file: permission denied`);
});
