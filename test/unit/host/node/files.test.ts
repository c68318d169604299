import fs, { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { writeFile } from "../../../../shared/host/node/files.ts";
import { replaceFileFunctions } from "../../support/file-functions.ts";

/** The calls of file functions, in order. A path stands for a descriptor. */
const done: string[] = [];
const failing = { sync: undefined as string | undefined };

const actual = { ...fs };
const paths = new Map<number, string>();
const told = (file: unknown) => basename(paths.get(file as number) ?? String(file)).replace(/^\..*/, "unfinished");
const restore = replaceFileFunctions({
  mkdirSync: ((path: string, options: object) => {
    done.push(`make ${told(path)}`);
    return actual.mkdirSync(path, options);
  }) as typeof mkdirSync,
  openSync: (path, flags, mode) => {
    const file = actual.openSync(path, flags, mode);
    paths.set(file, String(path));
    return file;
  },
  writeFileSync: (file, text) => {
    done.push(`write ${told(file)}`);
    actual.writeFileSync(file, text);
  },
  fsyncSync: (file) => {
    done.push(`sync ${told(file)}`);
    if (told(file) === failing.sync) throw Object.assign(new Error("EIO: i/o error"), { code: "EIO" });
    actual.fsyncSync(file);
  },
  renameSync: (from, to) => {
    done.push(`rename ${told(from)} to ${told(to)}`);
    actual.renameSync(from, to);
  },
});

const folder = mkdtempSync(join(tmpdir(), "cni-wrappers-unit-"));
afterAll(() => {
  restore();
  rmSync(folder, { recursive: true, force: true });
});

let directory: string;
let number = 0;

beforeEach(() => {
  directory = join(folder, `case${number++}`);
  mkdirSync(directory);
  done.length = 0;
  failing.sync = undefined;
});

test("a file is on the disk before it gets its name, and the name after it", () => {
  expect(writeFile(join(directory, "record"), "text")).toBeUndefined();
  expect(done).toEqual([
    "write unfinished",
    "sync unfinished",
    "rename unfinished to record",
    `sync ${basename(directory)}`,
  ]);
  expect(readFileSync(join(directory, "record"), "utf8")).toBe("text");
  expect(statSync(join(directory, "record")).mode & 0o777).toBe(0o600);
});

test("missing directories are made for root only, and each is on the disk before its contents", () => {
  expect(writeFile(join(directory, "one/two/record"), "text")).toBeUndefined();
  const made = ["make one", `sync ${basename(directory)}`, "make two", "sync one"];
  expect(done).toEqual([...made, "write unfinished", "sync unfinished", "rename unfinished to record", "sync two"]);
  expect([join(directory, "one"), join(directory, "one/two")].map((path) => statSync(path).mode & 0o777)).toEqual([
    0o700, 0o700,
  ]);
});

test("if the file system cannot sync a directory, the file is still there", () => {
  failing.sync = basename(directory);
  expect(writeFile(join(directory, "record"), "text")).toBeUndefined();
  expect(readdirSync(directory)).toEqual(["record"]);
});

describe("a failure leaves the old file and nothing else", () => {
  test("the disk", () => {
    writeFile(join(directory, "record"), "old");
    failing.sync = "unfinished";
    expect(writeFile(join(directory, "record"), "new")).toBe("EIO");
    expect(readdirSync(directory)).toEqual(["record"]);
    expect(readFileSync(join(directory, "record"), "utf8")).toBe("old");
  });

  test("a directory of that name", () => {
    mkdirSync(join(directory, "record"));
    expect(writeFile(join(directory, "record"), "new")).toBe("EISDIR");
    expect(readdirSync(directory)).toEqual(["record"]);
  });

  test("a file where a directory must be", () => {
    writeFile(join(directory, "file"), "old");
    expect(writeFile(join(directory, "file/record"), "new")).toBe("ENOTDIR");
    expect(readdirSync(directory)).toEqual(["file"]);
  });
});
