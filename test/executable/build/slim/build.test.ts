import { readFileSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { execa } from "execa";
import { describe, expect, test } from "vitest";
import { buildIn, copyOfTree, root, scratch, writeScript } from "../../../support/tree.ts";

const timeout = 600_000;

const build = (tree: string) => buildIn(tree, "build/slim/build.ts");

function contentOf(tree: string): Buffer {
  return readFileSync(join(tree, "dist/slim/bin/cni-wrappers"));
}

test("a build in another directory gives the same bytes, with no directory of this host in them", {
  timeout,
}, async () => {
  const tree = copyOfTree();
  // A new time makes cargo compile again.
  expect(await build(tree)).toMatchObject({ exitCode: 0, stderr: "" });
  const [content, before] = [contentOf(tree), contentOf(root)];
  expect(content.length).toBeGreaterThan(500_000);
  expect(content.equals(before), "dist/slim was built from other sources: npm run build:slim").toBe(true);
  const places = [tree, root, tmpdir(), homedir(), "index.crates.io"];
  expect(places.filter((place) => content.includes(`${place}/`))).toEqual([]);
});

// These copies are small. Their commit is unknown.
const unneeded = [".git", "docs", "test"];

test("a patch that does not fit the engine stops the build", { timeout }, async () => {
  const tree = copyOfTree(unneeded);
  const patch = join(tree, "build/slim/engine.patch");
  const content = readFileSync(patch, "utf8");
  writeFileSync(patch, content.replace("(js_rc(p)->mark)", "changed"));
  expect(await build(tree)).toMatchObject({
    exitCode: 1,
    stderr: expect.stringMatching(/^build: build\/slim\/engine.patch does not apply to rquickjs-sys: .*FAILED/s),
  });
});

test("build/slim/order.ld names functions that the engine has", async () => {
  const { stdout } = await execa({ cwd: join(root, "build/slim") })`cargo metadata --locked --format-version 1`;
  const { packages } = JSON.parse(stdout) as { packages: { name: string; manifest_path: string }[] };
  const crate = packages.find(({ name }) => name === "rquickjs-sys")?.manifest_path ?? "";
  const patch = readFileSync(join(root, "build/slim/engine.patch"), "utf8");
  const sources = ["quickjs.c", "quickjs.h", "cutils.h", "dtoa.c", "libregexp.c", "libunicode.c"].map((name) =>
    readFileSync(join(dirname(crate), "quickjs", name), "utf8"),
  );
  const words = new Set([patch, ...sources].join("\n").match(/\w+/g));
  const order = readFileSync(join(root, "build/slim/order.ld"), "utf8");
  const [, lists = ""] = /the engine \*\/(.*)\/\* the C library/s.exec(order) ?? [];
  const functions = [...lists.matchAll(/\.text\.(\w+)/g)].map(([, name = ""]) => name);
  expect(functions).toEqual(expect.arrayContaining(["JS_CallInternal", "find_own_property"]));
  expect(functions.filter((name) => !words.has(name))).toEqual([]);
});

// With the component rust-src, rustc writes the toolchain's directory into panics of the library.
test("the directory of the library's sources gets the name that the library has for it", { timeout }, async () => {
  const [tree, directory] = [copyOfTree(unneeded), scratch()];
  const scripts = {
    cargo: `case $1 in
      --version) echo cargo 1.90.0 ;;
      metadata) echo '{"packages":[]}' ;;
      *) echo "error: $RUSTC_WORKSPACE_WRAPPER $CARGO_ENCODED_RUSTFLAGS" >&2; exit 1 ;;
    esac`,
    rustc: '[ "$1" = -vV ] && printf "commit-hash: 0123\nhost: none\n" || echo /toolchain',
  };
  for (const [name, script] of Object.entries(scripts)) writeScript(join(directory, name), script);
  const env = { PATH: `${directory}:/usr/bin:/bin`, XDG_CACHE_HOME: directory, RUSTC_WORKSPACE_WRAPPER: "sccache" };
  const fake = () => buildIn(tree, "build/slim/build.ts --no-image", env);
  const { stderr, stdout } = await fake();
  expect(stderr.split("\x1f")).toContain("--remap-path-prefix=/toolchain/lib/rustlib/src/rust=/rustc/0123");
  // A builder's wrapper would change the bytes.
  expect(stderr).not.toContain("sccache");
  expect(stdout).not.toContain("waiting");
  const lock = join(directory, "cni-wrappers/cargo/cni-wrappers.lock");
  const other = execa("flock", ["--close", lock, "sleep", "60"], { reject: false });
  const second = fake();
  for await (const line of second) if (line.startsWith("build: waiting")) other.kill();
  expect((await second).stdout).toContain(`build: waiting for another build, which holds ${lock}`);
});

describe("what is missing is one line", () => {
  const cargo = (version: string) => `echo cargo ${version}`;
  const able = { cargo: cargo("1.90.0"), cc: "echo cc 14.2.0" };
  const host = "echo host: x86_64-unknown-linux-gnu";

  test.each([
    ["cargo", {}, [], "cargo 1.87 or newer is needed, and there is none in PATH"],
    [
      "a cargo that is new enough",
      { cargo: cargo("1.86.0") },
      [],
      "cargo 1.87 or newer is needed (this is cargo 1.86.0)",
    ],
    [
      "a C compiler",
      { cargo: cargo("1.90.0") },
      [],
      "cargo needs a C compiler, and there is no cc in PATH: apt-get install build-essential",
    ],
    [
      "zig",
      { ...able, rustc: host },
      ["--target", "aarch64-unknown-linux-musl"],
      "aarch64-unknown-linux-musl needs zig as its C compiler and linker: pip install ziglang==0.17.0 cargo-zigbuild==0.24.0 (in a venv in PATH)",
    ],
    [
      "the standard library of another target",
      { ...able, rustc: "echo /nowhere", "cargo-zigbuild": "echo 0.24.0" },
      ["--target", "aarch64-unknown-linux-musl"],
      "Rust's standard library for aarch64-unknown-linux-musl is missing: rustup target add aarch64-unknown-linux-musl",
    ],
    [
      "the emulator that writes another architecture's image",
      { ...able, rustc: "echo /", "cargo-zigbuild": "echo 0.24.0" },
      ["--target", "sparc64-unknown-linux-musl"],
      "the heap image for sparc64-unknown-linux-musl needs qemu-sparc64-static, which runs the new executable: apt-get install qemu-user-static, or build with --no-image",
    ],
    [
      "patch",
      { ...able, rustc: host },
      [],
      "the heap image needs patch, for the engine's sources: apt-get install patch, or build with --no-image",
    ],
    [
      "a target that is none",
      { ...able, rustc: "exit 1", "cargo-zigbuild": "echo 0.24.0" },
      ["--target", "pdp11"],
      "rustc knows no target pdp11",
    ],
  ] as [string, Record<string, string>, string[], string][])("%s", async (_, commands, args, line) => {
    const directory = scratch();
    for (const [name, script] of Object.entries(commands)) writeScript(join(directory, name), script);
    const env = { PATH: directory };
    const command = [join(root, "build/slim/build.ts"), ...args];
    const ended = await execa(process.execPath, command, { env, extendEnv: false, reject: false });
    expect(ended).toMatchObject({ exitCode: 1, stdout: "", stderr: `build: ${line}` });
  });
});
