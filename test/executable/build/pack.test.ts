import { chownSync, mkdirSync, readdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { execa } from "execa";
import { expect, test } from "vitest";
import { pack, writeChecksums } from "../../../build/release/pack.ts";
import { scratch } from "../../support/tree.ts";

const epoch = 1_700_000_000;

/** Packs the files of a release. They are made in this order, with this mode and time. Returns the archive. */
function packed(names: readonly string[], mode: number, time: number): string {
  const directory = join(scratch(), "content");
  mkdirSync(directory);
  for (const name of names) {
    const path = join(directory, name);
    if (name.endsWith("-wrapper")) {
      symlinkSync("cni-wrappers", path);
    } else {
      writeFileSync(path, name, { mode: name === "cni-wrappers" ? mode | 0o100 : mode });
      utimesSync(path, time, time);
      chownSync(path, 1000, 1001);
    }
  }
  const archive = join(directory, "../cni-wrappers-linux-amd64-v1.2.3.tgz");
  pack(directory, archive, epoch);
  return archive;
}

const names = ["README.md", "cni-wrappers", "LICENSE", "bridge-wrapper"];

test("the same files give the same bytes, whatever their order, modes and times", () => {
  const archives = [packed(names, 0o600, 1), packed(names.toReversed(), 0o640, 2_000_000_000)] as const;
  const [first, second] = archives.map((archive) => readFileSync(archive));
  expect(second).toEqual(first);
});

test("it has sorted entries of root, and none for the directory", async () => {
  const env = { TZ: "UTC", LC_ALL: "C" };
  const { stdout } = await execa("tar", ["-tvzf", packed(names, 0o600, 1), "--numeric-owner"], { env });
  const lines = stdout.split("\n").map((line) => line.replaceAll(/ +/g, " "));
  expect(lines).toEqual([
    "-rw-r--r-- 0/0 7 2023-11-14 22:13 ./LICENSE",
    "-rw-r--r-- 0/0 9 2023-11-14 22:13 ./README.md",
    expect.stringMatching(/^lrwxr.xr.x 0\/0 0 2023-11-14 22:13 \.\/bridge-wrapper -> cni-wrappers$/),
    "-rwxr-xr-x 0/0 12 2023-11-14 22:13 ./cni-wrappers",
  ]);
});

test("a folder's files are in it, and no other file is left next to it", async () => {
  const directory = join(scratch(), "v1.tgz.content");
  mkdirSync(join(directory, "inner"), { recursive: true });
  writeFileSync(join(directory, "inner/file"), "");
  writeFileSync(join(directory, "last"), "");
  const archive = join(directory, "../v1.tgz");
  pack(directory, archive, epoch, 1);
  const { stdout } = await execa`tar -tzf ${archive}`;
  expect(stdout.split("\n")).toEqual(["./inner/", "./inner/file", "./last"]);
  expect(readdirSync(join(directory, "..")).sort()).toEqual(["v1.tgz", "v1.tgz.content"]);
});

test("gzip's header has neither name nor time", () => {
  const [magic, flags, time] = [
    [0, 3],
    [3, 4],
    [4, 8],
  ].map(([start, end]) =>
    readFileSync(packed(names, 0o600, 1))
      .subarray(start, end)
      .toString("hex"),
  );
  expect([magic, flags, time]).toEqual(["1f8b08", "00", "00000000"]);
});

test("the checksums are what sha256sum and sha512sum read", async () => {
  const archive = packed(names, 0o600, 1);
  writeChecksums(archive);
  const cwd = join(archive, "..");
  for (const algorithm of ["sha256", "sha512"]) {
    const { stdout } = await execa(`${algorithm}sum`, ["-c", `cni-wrappers-linux-amd64-v1.2.3.tgz.${algorithm}`], {
      cwd,
    });
    expect(stdout).toBe("cni-wrappers-linux-amd64-v1.2.3.tgz: OK");
  }
});
