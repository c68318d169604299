import { join } from "node:path";
import { execa } from "execa";
import { describe, expect, test } from "vitest";
import { root, scratch, writeScript } from "../../support/tree.ts";

/** Tries a release on a host that has only these commands. */
function release(commands: Readonly<Record<string, string>>, ...args: string[]) {
  const directory = scratch();
  for (const [name, script] of Object.entries(commands)) writeScript(join(directory, name), script);
  // No earlier run has installed zig in this cache.
  const env = { PATH: directory, XDG_CACHE_HOME: directory };
  const command = [join(root, "build/release/release.ts"), "--output", join(directory, "out"), ...args];
  return execa(process.execPath, command, { env, extendEnv: false, reject: false });
}

const foreign = process.arch === "x64" ? "arm64" : "amd64";
const cpu = { arm64: "aarch64", amd64: "x86_64" }[foreign];
const library = (name: string) =>
  `build: Rust's standard library for ${name}-unknown-linux-musl is missing: rustup target add ${name}-unknown-linux-musl`;
const packages = `libc6-${foreign}-cross libstdc++6-${foreign}-cross`;

describe("a release names everything that is missing, before it builds anything", () => {
  test("on a host with nothing", async () => {
    const { exitCode, stdout, stderr } = await release({}, "--dirty");
    expect(stderr.split("\n").sort()).toEqual(
      [
        "build: cargo 1.87 or newer is needed, and there is none in PATH",
        "build: cargo needs a C compiler, and there is no cc in PATH: apt-get install build-essential",
        "build: pip installs zig: apt-get install python3-venv",
        "build: the heap image needs patch, for the engine's sources: apt-get install patch",
        library("x86_64"),
        library("aarch64"),
        `build: the heap image for ${cpu}-unknown-linux-musl needs qemu-${cpu}-static, which runs the new executable: apt-get install qemu-user-static`,
        `build: Node for ${foreign === "arm64" ? "arm64" : "x64"} runs in qemu-${cpu}-static: apt-get install qemu-user-static ${packages}`,
      ].sort(),
    );
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
  });

  test("and only what the chosen archives need", async () => {
    const able = { cargo: "echo cargo 1.90.0", cc: "echo cc", python3: "exit 0", patch: "echo patch" };
    const own = process.arch === "x64" ? "amd64" : "arm64";
    const { stderr } = await release({ ...able, rustc: "echo /nowhere" }, "--flavor", "slim", "--arch", own);
    expect(stderr).toBe(library(own === "amd64" ? "x86_64" : "aarch64"));
  });
});

test("a release is of a commit, unless it may be dirty", async () => {
  // Without git there is none.
  const { stderr } = await release({}, "--flavor", "conformance");
  const advice = "so nobody can verify its archives: commit first, or try with --dirty";
  expect(stderr).toBe(`build: this is no commit (unknown), ${advice}`);
  const dirty = await release({}, "--flavor", "conformance", "--dirty");
  expect(dirty.stderr).toBe("build: set SOURCE_DATE_EPOCH: there is no commit to take the time from");
});
