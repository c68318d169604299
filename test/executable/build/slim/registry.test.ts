import { appendFileSync, cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, test } from "vitest";
import { patchedEngine } from "../../../../build/slim/image.ts";
import { type Crate, cratesFor, unpackCrates } from "../../../../build/slim/registry.ts";
import { hostTarget } from "../../../../build/slim/toolchain.ts";
import { root, scratch } from "../../../support/tree.ts";

const crate = join(root, "build/slim");
const lock = readFileSync(join(crate, "Cargo.lock"), "utf8");
const crates = cratesFor(crate, hostTarget());

/** A registry with copies of the engine's crate, and a directory to unpack it. */
function registry(): { readonly engine: Crate; readonly archive: string; readonly unpacked: string } {
  const [engine] = crates.filter(({ name }) => name === "rquickjs-sys");
  if (!engine) throw new Error("Cargo.lock has no engine");
  const [directory, name] = [scratch(), basename(engine.sources)];
  const sources = join(directory, "registry/src/index", name);
  const archive = join(directory, "registry/cache/index", `${name}.crate`);
  const unpacked = join(directory, "unpacked");
  mkdirSync(unpacked);
  cpSync(engine.sources, sources, { recursive: true });
  cpSync(`${engine.sources.replace("/registry/src/", "/registry/cache/")}.crate`, archive);
  return { engine: { ...engine, sources }, archive, unpacked };
}

/** Moves a file to another directory, and leaves a link to it: what it leads to may change. */
function moveAway(file: string): void {
  const elsewhere = join(scratch(), "moved");
  cpSync(file, elsewhere);
  rmSync(file);
  symlinkSync(elsewhere, file);
}

describe("the crates that cargo compiles", () => {
  test("are those of Cargo.lock on this host", () => {
    expect(crates.map(({ name }) => name)).toEqual(expect.arrayContaining(["libc", "rquickjs-sys", "rustix"]));
    expect(() => unpackCrates(crates, lock, scratch())).not.toThrow();
  });

  test.each<[string, (sources: string) => void]>([
    ["a changed file", (sources) => appendFileSync(join(sources, "quickjs/quickjs.c"), "\n")],
    ["a new file", (sources) => writeFileSync(join(sources, "quickjs/new.h"), "")],
    ["a missing file", (sources) => rmSync(join(sources, "build.rs"))],
    ["a link to a file elsewhere", (sources) => moveAway(join(sources, "build.rs"))],
  ])("may not have %s in cargo's registry", (_, change) => {
    const { engine, unpacked } = registry();
    change(engine.sources);
    expect(() => unpackCrates([engine], lock, unpacked)).toThrow(/rquickjs-sys-[\d.]+ is not what its archive has/);
  });

  test("may not have another archive", () => {
    const { engine, archive, unpacked } = registry();
    appendFileSync(archive, "x");
    expect(() => unpackCrates([engine], lock, unpacked)).toThrow(`${archive} is not the archive that Cargo.lock names`);
  });

  test("may not be missing in Cargo.lock", () => {
    const { engine, unpacked } = registry();
    const others = lock.replaceAll('name = "rquickjs-sys"', 'name = "other"');
    expect(() => unpackCrates([engine], others, unpacked)).toThrow("is not the archive that Cargo.lock names");
  });
});

test("a changed copy of the patched engine in the cache stops the build", () => {
  const own = scratch();
  const cache = scratch();
  cpSync(join(crate, "engine.patch"), join(own, "engine.patch"));
  const build = () => {
    const { engine, unpacked } = registry();
    unpackCrates([engine], lock, unpacked);
    return patchedEngine(own, cache, unpacked);
  };
  const link = build();
  expect(readFileSync(join(link, "quickjs/quickjs.c"), "utf8")).toContain("js_rc");
  expect(build()).toBe(link);
  appendFileSync(join(link, "quickjs/quickjs.c"), "\n");
  expect(build).toThrow(/rquickjs-sys-\w+ is not the patched engine, remove .*quickjs\.c/);
});
