import fs, {
  chmodSync,
  chownSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterAll, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { appendJournal, appendLine, isOwn, removeDirectory } from "../../../../shared/host/node/files.ts";
import { replaceFileFunctions } from "../../support/file-functions.ts";

/** The calls of file functions, in order. A path stands for a descriptor. */
const done: string[] = [];
const failing = { sync: undefined as string | undefined, gone: 0 };

const actual = { ...fs };
const paths = new Map<number, string>();
const told = (file: unknown) => basename(paths.get(file as number) ?? String(file));
const restore = replaceFileFunctions({
  mkdirSync: ((path: string, options: object) => {
    done.push(`make ${told(path)}`);
    return actual.mkdirSync(path, options);
  }) as typeof mkdirSync,
  openSync: (path, flags, mode) => {
    // Another call removes the directory in the moment between.
    if (flags === "a" && failing.gone-- > 0) actual.rmSync(join(String(path), ".."), { recursive: true, force: true });
    const file = actual.openSync(path, flags, mode);
    paths.set(file, String(path));
    return file;
  },
  writeSync: ((file: number, text: string) => {
    done.push(`write ${told(file)}`);
    return actual.writeSync(file, text);
  }) as typeof fs.writeSync,
  fsyncSync: (file) => {
    done.push(`sync ${told(file)}`);
    if (told(file) === failing.sync) throw Object.assign(new Error("EIO: i/o error"), { code: "EIO" });
    actual.fsyncSync(file);
  },
});

const folder = mkdtempSync(join(tmpdir(), "cni-wrappers-unit-"));
afterAll(() => {
  restore();
  rmSync(folder, { recursive: true, force: true });
});

let directory: string;
const made = { makesFile: true, isFlushed: false };
const flushed = { makesFile: true, isFlushed: true };
let number = 0;

beforeEach(() => {
  directory = join(folder, `case${number++}`);
  mkdirSync(directory);
  done.length = 0;
  failing.sync = undefined;
  failing.gone = 0;
});

test("a text is appended with one write, for root only", () => {
  for (const text of ["one\n", "two\n"]) expect(appendJournal(join(directory, "journal"), text, made)).toBeUndefined();
  expect(done).toEqual(["write journal", "write journal"]);
  expect(readFileSync(join(directory, "journal"), "utf8")).toBe("one\ntwo\n");
  expect(statSync(join(directory, "journal")).mode & 0o777).toBe(0o600);
});

test("a flushed one is on the disk, and its name too", () => {
  expect(appendJournal(join(directory, "journal"), "text", flushed)).toBeUndefined();
  expect(done).toEqual(["write journal", "sync journal", `sync ${basename(directory)}`]);
});

test("the name of an older file is not flushed again", () => {
  writeFileSync(join(directory, "journal"), "old");
  expect(appendJournal(join(directory, "journal"), "new", flushed)).toBeUndefined();
  expect(done).toEqual(["write journal", "sync journal"]);
});

test("a file that another call has removed stays removed", () => {
  const later = { makesFile: false, isFlushed: false };
  expect(appendJournal(join(directory, "journal"), "text", later)).toBe("ENOENT");
  writeFileSync(join(directory, "journal"), "old");
  expect(appendJournal(join(directory, "journal"), "new", later)).toBeUndefined();
  expect(readFileSync(join(directory, "journal"), "utf8")).toBe("oldnew");
});

test("missing directories are made for root only, and each is on the disk", () => {
  expect(appendJournal(join(directory, "one/two/journal"), "text", made)).toBeUndefined();
  expect(done).toEqual(["make one", `sync ${basename(directory)}`, "make two", "sync one", "write journal"]);
  expect([join(directory, "one"), join(directory, "one/two")].map((path) => statSync(path).mode & 0o777)).toEqual([
    0o700, 0o700,
  ]);
});

test("a directory that another call removes meanwhile is made again", () => {
  failing.gone = 3;
  expect(appendJournal(join(directory, "one/journal"), "text", made)).toBeUndefined();
  expect(readFileSync(join(directory, "one/journal"), "utf8")).toBe("text");
});

test("if the file system cannot sync a directory, the file is still there", () => {
  failing.sync = basename(directory);
  expect(appendJournal(join(directory, "journal"), "text", flushed)).toBeUndefined();
  expect(readdirSync(directory)).toEqual(["journal"]);
});

describe("a failure has the name of the error", () => {
  test("the disk", () => {
    failing.sync = "journal";
    expect(appendJournal(join(directory, "journal"), "new", flushed)).toBe("EIO");
  });

  test("a directory of that name", () => {
    mkdirSync(join(directory, "journal"));
    expect(appendJournal(join(directory, "journal"), "new", flushed)).toBe("EISDIR");
  });

  test("a file where a directory must be", () => {
    writeFileSync(join(directory, "file"), "old");
    expect(appendJournal(join(directory, "file/journal"), "new", flushed)).toBe("ENOTDIR");
  });
});

test("a directory is removed only if it is empty", () => {
  for (const name of ["empty", "full/inside"]) mkdirSync(join(directory, name), { recursive: true });
  for (const name of ["empty", "full", "missing"]) removeDirectory(join(directory, name));
  expect(readdirSync(directory)).toEqual(["full"]);
});

describe("the log", () => {
  const log = () => join(directory, "log");
  const own = () => chownSync(directory, 0, 0);

  test.each<[string, () => void, string | undefined]>([
    ["with one name, where everybody may write", () => chmodSync(directory, 0o777), undefined],
    ["with two names, where nobody else may write", () => linkSync(log(), join(directory, "other")), undefined],
    [
      "with two names, where everybody may write",
      () => {
        linkSync(log(), join(directory, "other"));
        chmodSync(directory, 0o777);
      },
      "EMLINK",
    ],
    ["that is a link, where nobody else may write", () => link(own), undefined],
    ["that is a link, where a group may write", () => link(() => chmodSync(directory, 0o775)), "ELOOP"],
    ["that is a link, in a directory of another user", () => link(() => chownSync(directory, 1234, 1234)), "ELOOP"],
  ])("%s", (_, change, problem) => {
    writeFileSync(log(), "");
    change();
    expect(appendLine(log(), "line\n")).toBe(problem);
    expect(readFileSync(log(), "utf8")).toBe(problem === undefined ? "line\n" : "");
  });

  test("that is a directory gets nothing", () => {
    mkdirSync(log());
    expect(appendLine(log(), "line\n")).toBe("EISDIR");
  });

  function link(then: () => void): void {
    renameSync(log(), join(directory, "target"));
    symlinkSync("target", log());
    then();
  }

  test.each(["ino", "dev"] as const)("that is another file by now, which its %s tells, gets nothing", (key) => {
    writeFileSync(log(), "");
    chmodSync(directory, 0o777);
    const look = ((path: string) => {
      const found = actual.lstatSync(path);
      return Object.assign(found, { [key]: found[key] + 1 });
    }) as unknown as typeof fs.lstatSync;
    onTestFinished(replaceFileFunctions({ lstatSync: look }));
    expect(appendLine(log(), "line\n")).toBe("EMLINK");
  });

  test.each([0, 1])("that is the call's own stream %d gets nothing", (stream) => {
    writeFileSync(log(), "");
    const look = ((file: number) =>
      file === stream ? statSync(log()) : file < 2 ? statSync("/") : actual.fstatSync(file)) as typeof fs.fstatSync;
    onTestFinished(replaceFileFunctions({ fstatSync: look }));
    expect(appendLine(log(), "line\n")).toBe("EINVAL");
  });
});

test("a file of root or of this process's user is trusted", () => {
  const spy = vi.spyOn(process, "geteuid").mockReturnValue(1234);
  onTestFinished(() => spy.mockRestore());
  expect([0, 1234, 5].map((uid) => isOwn({ uid }))).toEqual([true, true, false]);
});
