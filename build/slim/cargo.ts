import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { bundleForSlim } from "../bundle.ts";
import { root } from "../publish.ts";
import type { Stamp } from "../stamp.ts";
import { patchedEngine } from "./image.ts";
import { cratesFor, unpackCrates } from "./registry.ts";
import { librarySources } from "./toolchain.ts";

/** The directory of the Rust host. */
export const crate = join(root, "build/slim");

/** The bundles stay here. */
export const bundles = join(root, "dist/slim/bundles");

/** Bundles the core. */
export async function writeBundles(stamp: Stamp): Promise<void> {
  mkdirSync(bundles, { recursive: true });
  for (const [part, { scripts, metafile }] of Object.entries(await bundleForSlim(root, stamp))) {
    for (const [name, script] of Object.entries(scripts))
      writeIfChanged(join(bundles, `${name}.mjs`), Buffer.from(script));
    writeIfChanged(join(bundles, `${part}.json`), Buffer.from(JSON.stringify(metafile, null, 2)));
  }
}

// cargo compiles again if a file has a new time.
function writeIfChanged(file: string, content: Buffer): void {
  if (!existsSync(file) || !readFileSync(file).equals(content)) writeFileSync(file, content);
}

/** Returns the arguments of `cargo build` for a target. Throws if a crate is not the one that Cargo.lock names. */
export function argumentsOf(target: string, image: boolean, directory: string): readonly string[] {
  const engine = compareSources(target, image, directory);
  const features = engine ? ["--features", "image", "--config", `paths=${JSON.stringify([engine])}`] : [];
  return ["--release", "--locked", "--quiet", "--target", target, ...features];
}

/** Compares the crates with Cargo.lock. Returns the patched engine for a heap image. */
function compareSources(target: string, image: boolean, directory: string): string | undefined {
  const unpacked = mkdtempSync(join(directory, "unpacked-"));
  try {
    unpackCrates(cratesFor(crate, target), readFileSync(join(crate, "Cargo.lock"), "utf8"), unpacked);
    return image ? patchedEngine(crate, directory, unpacked) : undefined;
  } finally {
    rmSync(unpacked, { recursive: true, force: true });
  }
}

/**
 * gcc's code for a library calls each public function of its own file as if another library could replace it. That takes 6% of
 * a CHECK. Nothing unwinds the engine's stack, so the tables for that are only size.
 */
const engineFlags: readonly string[] = ["-fpie", "-fno-asynchronous-unwind-tables"];

/**
 * Returns cargo's settings for a static executable at a fixed address that contains no path of this host. RELRO would be one
 * more mapping at each start: musl does not protect it in a static executable. A larger stack for threads, as zig asks for,
 * would be a write to one more page.
 */
export function settings(directory: string): Record<string, string> {
  const home = process.env.CARGO_HOME || join(homedir(), ".cargo");
  const places = [[home, "/cargo"], [directory, "/target"], librarySources()];
  const remapped = places.map((pair) => pair.join("="));
  const flags = [
    "-Ctarget-feature=+crt-static",
    "-Crelocation-model=static",
    "-Crelro-level=off",
    "-Clink-arg=-Wl,-z,stack-size=131072",
  ];
  return {
    // A link: with another path, cargo would compile each clone's bundles again.
    CNI_WRAPPERS_BUNDLES: join(directory, "bundles"),
    CARGO_TARGET_DIR: directory,
    CARGO_ENCODED_RUSTFLAGS: [...flags, ...remapped.map((pair) => `--remap-path-prefix=${pair}`)].join("\x1f"),
    // Variables win over cargo's files. A workspace wrapper, even an empty one, changes the bytes.
    ...{ RUSTC_WRAPPER: "", RUSTC_WORKSPACE_WRAPPER: "" },
    CFLAGS: [...engineFlags, ...remapped.map((pair) => `-ffile-prefix-map=${pair}`)].join(" "),
  };
}
