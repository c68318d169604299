import { spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { backUp, writeAtomically } from "../../../../cli/files/atomic-write.ts";
import { Trouble } from "../../../../cli/terminal.ts";
import { scratch } from "../../../support/scratch.ts";
import { failWith, intercept, noteSyncs } from "../../support/file-functions.ts";

const directory = scratch();
const at = (name: string) => path.join(directory, name);
const file = at("zone.conflist");

test.each([
  [1234, 0],
  [0, 4321],
  [1234, 4321],
])("keeps the owner and the group, and bits of the mode that a change of them clears: %i, %i", (uid, gid) => {
  writeFileSync(file, "old");
  chownSync(file, uid, gid);
  chmodSync(file, 0o6755);
  writeAtomically(file, "new");
  const { uid: owner, gid: group, mode } = statSync(file);
  expect([owner, group, mode & 0o7777]).toEqual([uid, gid, 0o6755]);
});

test("the time is the old one's if the file must look as old as before", () => {
  writeFileSync(file, "old");
  const time = new Date("2020-02-02T02:02:02Z");
  utimesSync(file, time, time);
  writeAtomically(file, "newer", { keepsTime: true });
  expect(statSync(file).mtime).toEqual(time);
  writeAtomically(file, "newest");
  expect(statSync(file).mtimeMs).toBeGreaterThan(time.getTime());
});

test.each([1, 2])("leaves the file alone that is the command's own output: %i", (stream) => {
  writeFileSync(file, "old");
  intercept("fstatSync", (actual) => (one: number) => (one === stream ? statSync(file) : actual(one)));
  expect(() => writeAtomically(file, "new")).toThrow("it is this command's own output");
  expect(readFileSync(file, "utf8")).toBe("old");
});

test("makes a new file that everybody can read", () => {
  writeAtomically(file, "new");
  expect(readFileSync(file, "utf8")).toBe("new");
  expect(statSync(file).mode & 0o7777).toBe(0o644);
});

test("the new text is on the disk before it takes the old one's place, and then the directory", () => {
  writeFileSync(file, "old");
  const { done } = noteSyncs();
  writeAtomically(file, "new");
  expect(done).toEqual(["fsync new", "rename to zone.conflist", "fsync of a directory"]);
});

describe("a link", () => {
  let link: string;

  beforeEach(() => {
    link = at("link.conflist");
    writeFileSync(file, "old");
    symlinkSync("zone.conflist", link);
  });

  test("that a list is on purpose is followed, and kept", () => {
    writeAtomically(link, "new", { followsLinks: true });
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(readFileSync(file, "utf8")).toBe("new");
  });

  test("is replaced by a report, and its target stays as it is", () => {
    writeAtomically(link, "new");
    expect(lstatSync(link).isFile()).toBe(true);
    expect(lstatSync(link).mode & 0o133).toBe(0);
    expect([readFileSync(link, "utf8"), readFileSync(file, "utf8")]).toEqual(["new", "old"]);
  });

  test.each<[string, () => void]>([
    ["in a directory of everybody", () => chmodSync(directory, 0o777)],
    ["in a directory of a group", () => chmodSync(directory, 0o775)],
    ["in a directory of another user", () => chownSync(directory, 1234, 1234)],
    ["below a directory of a group", () => moveBelowGroup()],
    ["of another user", () => lchownSync(link, 1234, 1234)],
  ])("%s may be planted, and is not followed", (_, plant) => {
    plant();
    expect(() => writeAtomically(link, "new", { followsLinks: true })).toThrow(
      `${link}: it is a link in a place where another user may write`,
    );
    expect(readFileSync(file, "utf8")).toBe("old");
  });

  function moveBelowGroup(): void {
    mkdirSync(at("group/lists"), { recursive: true });
    link = at("group/lists/link.conflist");
    symlinkSync(file, link);
    chmodSync(at("group"), 0o775);
  }
});

describe("a directory", () => {
  const report = at("theirs/reports/cni.prom");

  beforeEach(() => {
    for (const name of ["target", "theirs"]) mkdirSync(at(name));
    symlinkSync("../target", at("theirs/reports"));
  });

  test("that is a link of root's is followed, and the link stays", () => {
    writeAtomically(report, "new");
    expect(lstatSync(path.dirname(report)).isSymbolicLink()).toBe(true);
    expect(readFileSync(at("target/cni.prom"), "utf8")).toBe("new");
  });

  test.each<[string, () => void]>([
    ["of another user", () => chownSync(at("theirs"), 1234, 1234)],
    ["of a group", () => chmodSync(at("theirs"), 0o775)],
  ])("that is a link in a directory %s may lead anywhere, and gets no file", (_, plant) => {
    plant();
    for (const options of [{}, { followsLinks: true }])
      expect(() => writeAtomically(report, "new", options)).toThrow(`${report}: a directory of its path is a link`);
    expect(readdirSync(at("target"))).toEqual([]);
    writeFileSync(at("target/cni.prom"), "old");
    expect(() => backUp(report)).toThrow(`${report}: a directory of its path is a link`);
    expect(readdirSync(at("target"))).toEqual(["cni.prom"]);
  });
});

describe("what is no regular file stays", () => {
  const report = at("report");

  test("a link to a device, as /dev/stdout often is", () => {
    symlinkSync("/dev/null", report);
    expect(() => writeAtomically(report, "new")).toThrow(`${report}: it is not a regular file`);
    expect(lstatSync(report).isSymbolicLink()).toBe(true);
  });

  test("a link to the command's own output, as /dev/stdout is, also if that is a file", () => {
    symlinkSync("/proc/self/fd/1", report);
    const module = path.resolve("cli/files/atomic-write.ts");
    const script = `import(${JSON.stringify(module)}).then((one) => one.writeAtomically(${JSON.stringify(report)}, "new"))`;
    const output = openSync(file, "w");
    const { stderr } = spawnSync(process.execPath, ["--experimental-strip-types", "-e", script], {
      stdio: ["ignore", output, "pipe"],
    });
    closeSync(output);
    expect(stderr.toString()).toContain(`${report}: it is this command's own output`);
    expect(lstatSync(report).isSymbolicLink()).toBe(true);
  });
});

test("a link with the name of the temporary file is not followed", () => {
  const victim = at("victim");
  writeFileSync(victim, "old");
  symlinkSync("victim", at(`.zone.conflist.${process.pid}.tmp`));
  // A run that was killed leaves one. The next run with its process id fails once.
  expect(() => writeAtomically(file, "new")).toThrow(`${file}: a killed run had left a file; run the command again`);
  expect(readFileSync(victim, "utf8")).toBe("old");
  writeAtomically(file, "new");
});

test("leaves nothing if it fails, and says which path", () => {
  mkdirSync(file);
  expect(() => writeAtomically(file, "new")).toThrow(new Trouble(`${file}: is a directory`));
  expect(readdirSync(directory)).toEqual(["zone.conflist"]);
  const none = at("none");
  expect(() => writeAtomically(path.join(none, "zone"), "new")).toThrow(
    `${none}/zone: its directory is missing; make it: mkdir -p ${none}`,
  );
});

test("a full disk leaves no half of a backup", () => {
  writeFileSync(file, "first");
  failWith("ENOSPC", "fsyncSync");
  expect(() => backUp(file)).toThrow(`${file}.bak: no space left on the device`);
  expect(existsSync(`${file}.bak`)).toBe(false);
});

test("a backup never replaces an older one", () => {
  writeFileSync(file, "first");
  expect(backUp(file)).toBe(`${file}.bak`);
  writeFileSync(file, "second");
  expect(backUp(file)).toBe(`${file}.bak.1`);
  expect(backUp(file)).toBe(`${file}.bak.2`);
  expect(readFileSync(`${file}.bak`, "utf8")).toBe("first");
  expect(readFileSync(`${file}.bak.1`, "utf8")).toBe("second");
  expect(() => backUp(at("none"))).toThrow(/none: there is no such file$/);
  const long = at("l".repeat(252));
  writeFileSync(long, "");
  expect(() => backUp(long)).toThrow(`${long}.bak: the name is too long`);
});

test("a backup has the mode of its file", () => {
  writeFileSync(file, "old");
  for (const mode of [0o600, 0o664]) {
    chmodSync(file, mode);
    expect(statSync(backUp(file)).mode & 0o7777).toBe(mode);
  }
});

test("a user who replaces the list by a link gets no copy of root's file", () => {
  writeFileSync(at("secret"), "of root");
  symlinkSync("secret", file);
  expect(readFileSync(backUp(file), "utf8")).toBe("of root");
  lchownSync(file, 1234, 1234);
  expect(() => backUp(file)).toThrow(`${file}: it is a link of another user, which may lead anywhere; name its file`);
  expect(readdirSync(directory)).toEqual(["secret", "zone.conflist", "zone.conflist.bak"]);
});
