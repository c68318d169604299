import { chmodSync, openSync, readSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { canExec, canSpawn, inspectFile } from "../../../../shared/host/node/executable-file.ts";
import { scratch } from "../../../support/scratch.ts";

const folder = scratch();

let number = 0;

function made(content: string | Buffer, mode = 0o755): string {
  const path = join(folder, `file${number++}`);
  writeFileSync(path, content);
  chmodSync(path, mode);
  return path;
}

/** The beginning of an executable of this machine, changed. */
function elf(change: (header: Buffer) => void = () => {}, length = 4096): Buffer {
  const header = Buffer.alloc(4096);
  readSync(openSync(process.execPath, "r"), header, 0, header.length, 0);
  change(header);
  return header.subarray(0, length);
}

test.each([
  ["a file that may be executed", () => made(""), "executable"],
  ["a file that may not", () => made("", 0o644), "not executable"],
  ["nothing", () => join(folder, "none"), "missing"],
  ["nothing, in a path that is not a directory", () => join(made(""), "none"), "missing"],
  ["a directory", () => folder, "missing"],
  ["a device", () => "/dev/null", "missing"],
  ["a link to a file that may be executed", () => linkTo(made("")), "executable"],
  ["a link to nothing", () => linkTo("none"), "missing"],
])("what a path leads to: %s", (_, path, expected) => {
  expect(inspectFile(path())).toBe(expected);
});

function linkTo(target: string): string {
  const path = join(folder, `link${number++}`);
  symlinkSync(target, path);
  return path;
}

describe("a file that is not new", () => {
  beforeEach(() => void vi.setSystemTime(Date.now() + 60_000));
  afterEach(() => void vi.useRealTimers());

  test.each([
    ["an executable of this machine", () => made(elf())],
    ["the one that is running", () => process.execPath],
    ["a script", () => made("#!/bin/sh\n")],
    ["a script with an argument and spaces", () => made("#! \t/bin/sh -e\nexit\n")],
    ["a script without an end of line", () => made("#!/bin/sh")],
    ["a script whose interpreter is a script", () => chain(2)],
    ["program headers after the first page", () => made(moved(9000))],
  ])("is certain to be executable: %s", (_, path) => {
    expect(canExec(path())).toBe(true);
    expect(canSpawn(path())).toBe(true);
  });

  function chain(length: number): string {
    return length === 0 ? "/bin/sh" : made(`#!${chain(length - 1)}\n`);
  }

  function moved(offset: number): Buffer {
    const header = elf();
    const [start, size] = [Number(header.readBigUInt64LE(32)), header.readUInt16LE(54) * header.readUInt16LE(56)];
    const file = Buffer.concat([header, Buffer.alloc(offset - header.length), header.subarray(start, start + size)]);
    file.writeBigUInt64LE(BigInt(offset), 32);
    return file;
  }

  test.each([
    ["empty", () => made("")],
    ["a text", () => made("echo\n")],
    ["shorter than a header", () => made(elf(undefined, 20))],
    ["cut off after its header", () => made(elf(undefined, 64))],
    ["cut off in its program headers", () => made(elf(undefined, 130))],
    ["for another machine", () => made(elf((header) => header.writeUInt16LE(0xf3, 18)))],
    ["32-bit", () => made(elf((header) => header.writeUInt8(1, 4)))],
    ["of the other byte order", () => made(elf((header) => header.writeUInt8(2, 5)))],
    ["an object file", () => made(elf((header) => header.writeUInt16LE(1, 16)))],
    ["a core dump", () => made(elf((header) => header.writeUInt16LE(4, 16)))],
    ["program headers of another size", () => made(elf((header) => header.writeUInt16LE(32, 54)))],
    ["without program headers", () => made(elf((header) => header.writeUInt16LE(0, 56)))],
    ["with program headers far away", () => made(elf((header) => header.writeBigUInt64LE(1n << 40n, 32)))],
    [
      "an interpreter that is missing",
      () => made(elf((header) => header.write("/none", header.indexOf("/lib"), "latin1"))),
    ],
    ["a script whose interpreter is missing", () => made("#!/nowhere/sh\n")],
    ["a script whose interpreter is a directory", () => made(`#!${folder}\n`)],
    ["a script whose interpreter may not be executed", () => made(`#!${made(elf(), 0o644)}\n`)],
    ["a script whose interpreter is a text", () => made(`#!${made("echo\n")}\n`)],
    ["scripts that name one another without an end", () => chain(20)],
    ["a script with the line ends of another system", () => made("#!/bin/sh\r\n")],
    ["a script without an interpreter", () => made("#!\n")],
    ["a script with an interpreter too far away", () => made(`#!/${"x/".repeat(300)}sh\n`)],
  ])("cannot be executed by the kernel, and no shell may read it: %s", (_, path) => {
    expect(canExec(path())).toBe(false);
    expect(canSpawn(path())).toBe(false);
  });

  test.each([
    ["nothing there", () => join(folder, "none")],
    ["a directory", () => folder],
    ["no permission", () => made(elf(), 0o644)],
  ])("is not certain to be executable: %s", (_, path) => {
    expect(canExec(path())).toBe(false);
  });
});

// execve fails as long as somebody has the file open for writing.
test("a new file is not certain to be executable", () => {
  const path = made("#!/bin/sh\n");
  expect(canExec(path)).toBe(false);
  expect(canSpawn(path)).toBe(true);
  // A download or a copy may get the time of its original while it is still open.
  utimesSync(path, 0, 0);
  expect(canExec(path)).toBe(false);
});
