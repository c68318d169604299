import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  closeSync,
  constants,
  linkSync,
  mkdirSync,
  openSync,
  renameSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { readSource } from "../../../../cli/install/source.ts";
import type { Terminal } from "../../../../cli/terminal.ts";
import { scratch } from "../../../support/scratch.ts";

const directory = scratch();
beforeEach(() => {
  told = "";
});

let told = "";
const at = (name: string) => join(directory, name);
const writeError = (text: string) => {
  told += text;
};
const read = (path?: string, executable?: string) =>
  readSource(path, { directory, executable, writeError } as Terminal);

/** An ELF file of 64 bits with a header alone (elf.h). The table of sections has two entries of 64 bytes at `table`. */
function header(machine: number, table?: number): Buffer {
  const bytes = Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, ...Array(57).fill(0)]);
  bytes.writeUInt16LE(machine, 18);
  if (table === undefined) return bytes;
  bytes.writeBigUInt64LE(BigInt(table), 40);
  bytes.writeUInt16LE(64, 58);
  bytes.writeUInt16LE(2, 60);
  return bytes;
}

const [own, other] = process.arch === "x64" ? [62, 183] : [183, 62];

test("an executable that was cut off is refused", () => {
  const whole = Buffer.concat([header(own ?? 0, 100), Buffer.alloc(164)]);
  writeFileSync(at("whole"), whole);
  writeFileSync(at("cut"), whole.subarray(0, 227));
  expect(read("whole").bytes).toEqual(whole);
  expect(() => read("cut")).toThrow(/cut: its end is missing; copy it again$/);
});

/** Packs an archive as a release does: the executable and a link, which may have another name. */
function pack(executable: Buffer, link = "./bridge-wrapper"): void {
  const content = at("content");
  mkdirSync(content);
  writeFileSync(join(content, "cni-wrappers"), executable);
  writeFileSync(join(content, "LICENSE"), "text\n".repeat(200));
  symlinkSync("cni-wrappers", join(content, "bridge-wrapper"));
  const transform = ["-P", "--transform", `flags=r;s,^./bridge-wrapper$,${link},`];
  tar(...transform, "-C", content, "./LICENSE", "./bridge-wrapper", "./cni-wrappers");
}

function tar(...words: readonly string[]): void {
  execFileSync("tar", ["--format=ustar", "-czf", at("a.tgz"), ...words], { cwd: directory });
}

const checksum = (algorithm: string) => {
  const line = execFileSync(`${algorithm}sum`, ["a.tgz"], { cwd: directory });
  writeFileSync(join(directory, `a.tgz.${algorithm}`), line);
};

test("an archive gives the executable and its links", () => {
  const bytes = Buffer.concat([header(own), Buffer.alloc(1000, 7)]);
  pack(bytes);
  checksum("sha256");
  // The program for checksums of another system writes capital letters.
  const [sum = "", name] = execFileSync("sha512sum", ["a.tgz"], { cwd: directory, encoding: "utf8" }).split("  ");
  writeFileSync(at("a.tgz.sha512"), `${sum.toUpperCase()} *${name}`);
  expect(read("a.tgz")).toEqual({ bytes, links: ["bridge-wrapper"] });
  expect(told).toBe("");
});

test.each([
  ...["../bridge-wrapper", "./../bridge-wrapper", "/tmp/bridge-wrapper", "in/bridge-wrapper", "./cni-wrappers"],
  ...[".cni-wrappers/previous", "..", ".", "bridge", "-wrapper", ".-wrapper", "a b-wrapper"],
])("an archive with a link %s is refused: it names no wrapper", (link) => {
  pack(header(own), link);
  expect(() => read("a.tgz")).toThrow(/a\.tgz: its link .* names no wrapper; download the archive again$/);
});

test("an archive with a link to a link, and a hard link: neither becomes a link", () => {
  const content = at("content");
  pack(header(own));
  symlinkSync("bridge-wrapper", join(content, "vlan-wrapper"));
  symlinkSync("../cni-wrappers", join(content, "ptp-wrapper"));
  linkSync(join(content, "cni-wrappers"), join(content, "dummy-wrapper"));
  tar("--sort=name", "-C", content, ".");
  expect(read("a.tgz").links).toEqual(["bridge-wrapper"]);
});

test.each([
  ["cni-wrappers-linux-amd64-v0.2.0.tgz", "0.2.0"],
  ["cni-wrappers-tools-linux-arm64-v1.0.0-rc.1.tgz", "1.0.0-rc.1"],
  ["slim.tgz", undefined],
  ["cni-wrappers-v0.2.0.tgz.old", undefined],
])("the version in an archive's name: %s", (name, version) => {
  pack(header(own));
  renameSync(at("a.tgz"), at(name));
  expect(read(name).version).toBe(version);
});

test("an archive without a checksum file: a line says that nothing was compared", () => {
  pack(header(own));
  expect(read("a.tgz").links).toEqual(["bridge-wrapper"]);
  expect(told).toBe(`${directory}/a.tgz: no checksum file: not compared\n`);
});

test("an executable, and the one that runs", () => {
  writeFileSync(at("file"), header(own));
  expect(read("file")).toEqual({ bytes: header(own), links: undefined });
  writeFileSync(at("file.sha256"), "of another file");
  expect(read(undefined, at("file"))).toEqual({ bytes: header(own), links: undefined });
  expect(() => read()).toThrow("this is the npm package, which has no executable");
});

test.each([
  ["sha256", "sha512"],
  ["sha512", "sha256"],
])("an archive that does not match its .%s, whatever its .%s says", (algorithm, other) => {
  pack(header(own));
  checksum(algorithm);
  appendFileSync(at("a.tgz"), "\n");
  checksum(other);
  expect(() => read("a.tgz")).toThrow(`a.tgz: it does not match a.tgz.${algorithm}; download both again`);
});

test.each(["b.tgz", "a.tgz.cdx.json", "tools-a.tgz"])("a checksum for another file: %s", (name) => {
  pack(header(own));
  writeFileSync(at("a.tgz.sha256"), `${"0".repeat(64)}  ${name}\n`);
  expect(() => read("a.tgz")).toThrow("a.tgz.sha256: it has no line for a.tgz");
});

test("a user's pipe with the name of a checksum file is not waited for", () => {
  pack(header(own));
  const pipe = at("a.tgz.sha256");
  execFileSync("mkfifo", [pipe]);
  const writer = openSync(pipe, constants.O_RDWR | constants.O_NONBLOCK);
  onTestFinished(() => closeSync(writer));
  expect(() => read("a.tgz")).toThrow(`${pipe}: it is not a regular file`);
});

test("an archive that is cut short", () => {
  pack(header(own));
  truncateSync(at("a.tgz"), 100);
  expect(() => read("a.tgz")).toThrow("a.tgz: the archive is damaged");
});

/** A header of a tar archive (POSIX ustar) for a file, or another type. */
function tarHeader(name: string, size: string, { type = "0", prefix = "", target = "" } = {}): Buffer {
  const bytes = Buffer.alloc(512);
  bytes.write(name);
  bytes.write(size, 124);
  bytes.write(type, 156);
  bytes.write(target, 157);
  bytes.write(prefix, 345);
  return bytes;
}

const executable = Buffer.concat([header(own), Buffer.alloc(2048)]);
const damaged = /\(the archive is damaged or cut short\)/;
const file = (size = "00000001000") => [tarHeader("cni-wrappers", size), executable];

const folder = tarHeader("cni-wrappers", "", { type: "5" });
const below = tarHeader("bridge-wrapper", "", { type: "2", prefix: "dir", target: "cni-wrappers" });
const ends = file().map((part) => part.subarray(0, 512));

test.each<[string, readonly Buffer[], number, RegExp | undefined]>([
  ["with a file of a negative size", file("-0000002000"), 2048, damaged],
  ["that ends in the middle of a file", file(), 1023, damaged],
  ["that ends with its last file", file(), 1024, undefined],
  ["whose first entry has no size", [tarHeader("LICENSE", ""), ...file()], 1536, undefined],
  ["with another type of the same name before it", [folder, ...file()], 1536, undefined],
  ["with more after its end", [...ends, Buffer.alloc(512), Buffer.alloc(512, 1)], 2048, undefined],
  [
    "with a link whose directory is in the prefix",
    [below, ...file()],
    1536,
    /link dir\/bridge-wrapper names no wrapper/,
  ],
])("an archive %s", (_, parts, length, problem) => {
  writeFileSync(at("a.tgz"), gzipSync(Buffer.concat(parts).subarray(0, length)));
  checksum("sha256");
  if (problem) expect(() => read("a.tgz")).toThrow(problem);
  else expect(read("a.tgz").bytes).toHaveLength(512);
});

test("an archive with a link in place of the executable has none", () => {
  symlinkSync("elsewhere", at("cni-wrappers"));
  tar("cni-wrappers");
  expect(() => read("a.tgz")).toThrow("a.tgz: the archive has no cni-wrappers");
});

test("an executable for another machine", () => {
  writeFileSync(at("file"), header(other));
  expect(() => read("file")).toThrow(/file: it is for (aarch64|x86_64), and this machine is (x86_64|aarch64)$/);
  writeFileSync(at("file"), header(243));
  expect(() => read("file")).toThrow(/file: it is for another one, and this machine is /);
});

test.each([
  ["an empty file", ""],
  ["a text", "cni-wrappers"],
  ["a script", `#!/bin/sh\n${"echo a script is longer\n".repeat(9)}`],
  ["the beginning of a header", Buffer.from([0x7f, 0x45])],
  ["one byte of a gzip file", Buffer.from([0x1f, 0])],
  ["the other byte", Buffer.from([0, 0x8b])],
])("%s is neither", (_what, text) => {
  writeFileSync(at("file"), text);
  expect(() => read("file")).toThrow("file: it is neither a release archive (.tgz) nor an executable");
});

test.each<[string, (path: string) => void]>([
  ["a pipe, which nobody writes to", (path) => execFileSync("mkfifo", [path])],
  ["a link to a device without an end", (path) => symlinkSync("/dev/zero", path)],
  ["a directory", mkdirSync],
  ["a file that would fill the memory", (path) => execFileSync("truncate", ["--size=3G", path])],
])("%s is not read", (_what, make) => {
  make(at("file"));
  expect(() => read("file")).toThrow("file: it is neither a release archive (.tgz) nor an executable");
});

test("an archive that would fill the memory is refused", () => {
  execFileSync("sh", ["-c", "head -c 257M /dev/zero | gzip -1 >a.tgz"], { cwd: directory });
  expect(() => read("a.tgz")).toThrow(
    "a.tgz: the archive is damaged (Cannot create a Buffer larger than 268435456 bytes)",
  );
});
