import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { basename, join } from "node:path";
import { afterAll, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import {
  appendJournal,
  appendLine,
  isOwn,
  listDirectory,
  makeDirectory,
  readFile,
  removeDirectory,
  removeFile,
  stat,
} from "../../../../shared/host/node/files.ts";
import { scratch } from "../../../support/scratch.ts";
import { failWith, intercept, replaceFileFunctions } from "../../support/file-functions.ts";

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
  }) as typeof fs.mkdirSync,
  openSync: (path, flags, mode) => {
    // Another call removes the directory in the moment between.
    if (mode === 0o600 && failing.gone-- > 0) actual.rmSync(join(String(path), ".."), { recursive: true, force: true });
    const file = actual.openSync(path, flags, mode);
    paths.set(file, String(path));
    return file;
  },
  writeFileSync: ((file: number | string, text: string) => {
    if (typeof file === "number") done.push(`write ${told(file)}`);
    actual.writeFileSync(file, text);
  }) as typeof fs.writeFileSync,
  fsyncSync: (file) => {
    done.push(`sync ${told(file)}`);
    if (told(file) === failing.sync) throw Object.assign(new Error("EIO: i/o error"), { code: "EIO" });
    actual.fsyncSync(file);
  },
});

afterAll(restore);

const directory = scratch();
const at = (name: string) => join(directory, name);
const made = { makesFile: true, isFlushed: false };
const flushed = { makesFile: true, isFlushed: true };

beforeEach(() => {
  done.length = 0;
  failing.sync = undefined;
  failing.gone = 0;
});

test("a text is appended with one write, for root only", () => {
  for (const text of ["one\n", "two\n"]) expect(appendJournal(at("journal"), text, made)).toBeUndefined();
  expect(done).toEqual(["write journal", "write journal"]);
  expect(fs.readFileSync(at("journal"), "utf8")).toBe("one\ntwo\n");
  expect(fs.statSync(at("journal")).mode & 0o777).toBe(0o600);
});

test("a flushed one is on the disk, and once its name, too", () => {
  for (const text of ["é", "two"]) expect(appendJournal(at("journal"), text, flushed)).toBeUndefined();
  const written = ["write journal", "sync journal"];
  expect(done).toEqual([...written, `sync ${basename(directory)}`, ...written]);
});

test("a file that another call has removed stays removed", () => {
  const later = { makesFile: false, isFlushed: false };
  expect(appendJournal(at("journal"), "text", later)).toBe("ENOENT");
  fs.writeFileSync(at("journal"), "old");
  expect(appendJournal(at("journal"), "new", later)).toBeUndefined();
  expect(fs.readFileSync(at("journal"), "utf8")).toBe("oldnew");
});

test("a pipe is not waited for", () => {
  execFileSync("mkfifo", [at("journal")]);
  expect(readFile(at("journal"))).toBe("");
  for (const how of [made, { makesFile: false, isFlushed: false }]) {
    expect(appendJournal(at("journal"), "text", how)).toBe("ENXIO");
  }
});

test("missing directories are made for root only, and each is on the disk", () => {
  expect(appendJournal(at("one/two/journal"), "text", made)).toBeUndefined();
  expect(done).toEqual(["make one", `sync ${basename(directory)}`, "make two", "sync one", "write journal"]);
  expect(["one", "one/two"].map((name) => fs.statSync(at(name)).mode & 0o777)).toEqual([0o700, 0o700]);
});

test("a directory that another call removes meanwhile is made again", () => {
  failing.gone = 3;
  expect(appendJournal(at("one/journal"), "text", made)).toBeUndefined();
  expect(fs.readFileSync(at("one/journal"), "utf8")).toBe("text");
});

test("if the file system cannot sync a directory, the file is still there", () => {
  failing.sync = basename(directory);
  expect(appendJournal(at("journal"), "text", flushed)).toBeUndefined();
  expect(fs.readdirSync(directory)).toEqual(["journal"]);
});

describe("a failure has the name of the error", () => {
  test.each<[string, string, string, () => void]>([
    ["a full disk", "/dev/full", "ENOSPC", () => {}],
    ["a broken disk", at("journal"), "EIO", () => Object.assign(failing, { sync: "journal" })],
    ["a directory of that name", at("journal"), "EISDIR", () => fs.mkdirSync(at("journal"))],
    ["a file where a directory must be", at("file/journal"), "ENOTDIR", () => fs.writeFileSync(at("file"), "old")],
  ])("%s", (_, path, code, prepare) => {
    prepare();
    expect(appendJournal(path, "text", flushed)).toBe(code);
  });

  test("another call removes the directory each time", () => {
    failing.gone = Number.POSITIVE_INFINITY;
    expect(appendJournal(at("one/journal"), "text", made)).toBe("ENOENT");
    expect(done.filter((what) => what === "make one")).toHaveLength(100);
  });

  test("an error without a code", () => {
    intercept("openSync", () => () => {
      throw new Error("odd");
    });
    expect(appendJournal(at("journal"), "text", made)).toBe("Error: odd");
    expect(appendLine(at("log"), "line\n")).toBe("Error: odd");
  });
});

test("a directory that another process makes at the same time is there; one that cannot be made is an error", () => {
  failWith("EEXIST", "mkdirSync");
  expect(() => makeDirectory(at("one"), 0o700)).not.toThrow();
  expect(done).toEqual([`sync ${basename(directory)}`]);
  failWith("EACCES", "mkdirSync");
  expect(() => makeDirectory(at("one"), 0o700)).toThrow("EACCES");
});

test("what is there is read, and told apart; what is missing is undefined", () => {
  const file = at("file");
  actual.writeFileSync(file, "täxt");
  // Its content is older than its inode.
  actual.utimesSync(file, 1, 1);
  expect([file, directory, at("none")].map(readFile)).toEqual(["täxt", undefined, undefined]);
  expect([directory, at("none"), file].map(listDirectory)).toEqual([["file"], [], []]);
  const { dev, ino, mtimeMs, ctimeMs } = fs.statSync(file);
  expect(stat(file)).toEqual({ device: dev, inode: ino, size: 5, modifiedMs: mtimeMs, changedMs: ctimeMs });
  expect(stat(at("none"))).toBeUndefined();
  fs.symlinkSync("loop", at("loop"));
  expect(listDirectory(at("loop"))).toBeUndefined();
  removeFile(at("loop"));
  fs.symlinkSync(file, at("link"));
  expect(stat(at("link"))).toEqual(stat(file));
  removeFile(at("link"));
  fs.symlinkSync("/proc/self/ns/net", at("link"));
  expect(stat(at("link"))).toMatchObject({ inode: fs.statSync("/proc/self/ns/net").ino, isUnnamed: true });
  removeFile(at("link"));
  removeFile(at("none"));
  removeFile(directory);
  expect(fs.readdirSync(directory)).toEqual(["file"]);
  removeFile(file);
  expect(fs.readdirSync(directory)).toEqual([]);
});

test("whatever happens, no file stays open", () => {
  const open = () => fs.readdirSync("/proc/self/fd").length;
  const before = open();
  appendJournal(at("one/journal"), "text", flushed);
  failing.sync = "journal";
  appendJournal(at("one/journal"), "text", flushed);
  appendLine(at("one/two/log"), "line\n");
  appendLine(at("one/two/log/no"), "line\n");
  fs.chmodSync(directory, 0o777);
  actual.writeFileSync(at("log"), "");
  fs.linkSync(at("log"), at("other"));
  expect(appendLine(at("log"), "line\n")).toBe("EMLINK");
  expect(open()).toBe(before);
});

test("a directory is removed only if it is empty", () => {
  for (const name of ["empty", "full/inside"]) fs.mkdirSync(join(directory, name), { recursive: true });
  for (const name of ["empty", "full", "missing"]) removeDirectory(join(directory, name));
  expect(fs.readdirSync(directory)).toEqual(["full"]);
});

describe("the log", () => {
  const log = () => at("log");
  const own = () => fs.chownSync(directory, 0, 0);
  const open = () => fs.chmodSync(directory, 0o777);
  const share = () => fs.linkSync(log(), at("other"));

  test.each<[string, () => unknown, string | undefined]>([
    ["with one name, where everybody may write", open, undefined],
    ["with two names, where nobody else may write", share, undefined],
    ["with two names, where everybody may write", () => [share(), open()], "EMLINK"],
    ["that is a link, where nobody else may write", () => link(own), undefined],
    ["that is a link, where a group may write", () => link(() => fs.chmodSync(directory, 0o775)), "ELOOP"],
    ["that is a link, in a directory of another user", () => link(() => fs.chownSync(directory, 1234, 1234)), "ELOOP"],
  ])("%s", (_, change, problem) => {
    fs.writeFileSync(log(), "");
    change();
    expect(appendLine(log(), "line\n")).toBe(problem);
    expect(fs.readFileSync(log(), "utf8")).toBe(problem === undefined ? "line\n" : "");
  });

  test("is made with its directories, for its group to read, wherever the path begins", () => {
    const away = process.cwd();
    onTestFinished(() => process.chdir(away));
    process.chdir(directory);
    const [mask] = [process.umask(0), onTestFinished(() => void process.umask(mask))];
    for (const path of [at("one//two/log"), "one/two/log"]) {
      expect(appendLine(path, "line\n")).toBeUndefined();
    }
    expect(fs.readFileSync(at("one/two/log"), "utf8")).toBe("line\nline\n");
    const modes = ["one", "one/two", "one/two/log"].map((path) => fs.statSync(join(directory, path)).mode & 0o777);
    expect(modes).toEqual([0o755, 0o755, 0o640]);
  });

  test("that is a directory, or below one that cannot be made, gets nothing", () => {
    expect(appendLine(directory, "line\n")).toBe("EISDIR");
    fs.writeFileSync(at("file"), "");
    expect(appendLine(at("file/log"), "line\n")).toBe("ENOTDIR");
    expect(appendLine("/proc/none/log", "line\n")).toBe("ENOENT");
  });

  test("is found behind as many links as the kernel follows", () => {
    const chain = (count: number) => {
      fs.writeFileSync(at("link0"), "");
      for (let at = 1; at <= count; at++) fs.symlinkSync(`.//link${at - 1}`, join(directory, `link${at}`));
    };
    chain(41);
    expect(appendLine(at("link40"), "line\n")).toBeUndefined();
    expect(appendLine(at("link41"), "line\n")).toBe("ELOOP");
    fs.symlinkSync(at("link0"), at("absolute"));
    expect(appendLine(at("absolute"), "line\n")).toBeUndefined();
    expect(fs.readFileSync(at("link0"), "utf8")).toBe("line\nline\n");
  });

  test("that is a pipe gets no line that could be torn", () => {
    execFileSync("mkfifo", [log()]);
    const reader = actual.openSync(log(), fs.constants.O_RDONLY | fs.constants.O_NONBLOCK);
    onTestFinished(() => fs.closeSync(reader));
    expect(appendLine(log(), "x".repeat(4096))).toBeUndefined();
    expect(appendLine(log(), "x".repeat(4097))).toBe("EMSGSIZE");
    appendLine(at("file"), "x".repeat(5000));
    expect(fs.statSync(at("file")).size).toBe(5000);
  });

  test("that has the path of an opened file is written, even if the file has no other path any more", () => {
    const file = actual.openSync(log(), "w+");
    onTestFinished(() => fs.closeSync(file));
    fs.rmSync(log());
    expect(appendLine(`/proc/self/fd/${file}`, "line\n")).toBeUndefined();
    expect(actual.readFileSync(file, "utf8")).toBe("line\n");
  });

  test("that has the number of the call's own stream, or its device, but not both is another file", () => {
    fs.writeFileSync(log(), "");
    const own = fs.statSync(log());
    const streams = [{ ino: own.ino + 1 }, { dev: own.dev + 1 }].map((other) => ({ ...own, ...other }));
    intercept("fstatSync", () => (file: number) => streams[file] ?? actual.fstatSync(file));
    expect(appendLine(log(), "line\n")).toBeUndefined();
  });

  function link(then: () => void): void {
    fs.renameSync(log(), at("target"));
    fs.symlinkSync("target", log());
    then();
  }

  test.each(["ino", "dev"] as const)("that is another file by now, which its %s tells, gets nothing", (key) => {
    fs.writeFileSync(log(), "");
    fs.chmodSync(directory, 0o777);
    intercept("lstatSync", () => (path: string) => {
      const found = actual.lstatSync(path);
      return Object.assign(found, { [key]: found[key] + 1 });
    });
    expect(appendLine(log(), "line\n")).toBe("EMLINK");
  });

  test.each([0, 1])("that is the call's own stream %d gets nothing", (stream) => {
    fs.writeFileSync(log(), "");
    const look = (file: number) =>
      file === stream ? fs.statSync(log()) : file < 2 ? fs.statSync("/") : actual.fstatSync(file);
    intercept("fstatSync", () => look);
    expect(appendLine(log(), "line\n")).toBe("EINVAL");
    expect(actual.readFileSync(log(), "utf8")).toBe("");
  });
});

test("a file of root or of this process's user is trusted", () => {
  const spy = vi.spyOn(process, "geteuid").mockReturnValue(1234);
  onTestFinished(() => spy.mockRestore());
  expect([0, 1234, 5].map((uid) => isOwn({ uid }))).toEqual([true, true, false]);
});
