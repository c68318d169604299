import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join, relative } from "node:path";
import { parseArgs } from "node:util";
import { bundleForSlim } from "../bundle.ts";
import { cache, executable, firstError, makeStage, publish, report, root, runBuild } from "../publish.ts";
import { readStamp, type Stamp } from "../stamp.ts";
import { addImage, patchedEngine } from "./image.ts";
import { cratesFor, unpackCrates } from "./registry.ts";
import { cargoProblem, crossProblem, hostTarget, imageProblem, librarySources } from "./toolchain.ts";

const crate = join(root, "build/slim");

/**
 * Builds the slim flavor: `dist/slim/bin` for this host, `dist/slim/<target>/bin` for `--target <target>`. With `--no-image`
 * each call starts the engine anew.
 */
async function build(): Promise<void> {
  const started = performance.now();
  const options = { target: { type: "string" }, image: { type: "boolean", default: true } } as const;
  const { target: asked, image } = parseArgs({ options, allowNegative: true }).values;
  const problem = cargoProblem() ?? (asked && crossProblem(asked)) ?? (image ? imageProblem(asked) : undefined);
  if (problem) throw new Error(problem);
  const stamp = readStamp(root);
  const dist = join(root, "dist/slim", asked ?? "");
  const stage = makeStage(dist);

  await writeBundles(stamp);
  compile(asked, image, join(stage, "bin", executable));
  if (image) addImage(join(stage, "bin", executable), asked ?? hostTarget());
  publish(stage, dist);
  report(dist, stamp, started);
}

/** The bundles stay here. Only changed ones are written, because cargo compiles again if a file has a new time. */
const bundles = join(root, "dist/slim/bundles");

async function writeBundles(stamp: Stamp): Promise<void> {
  mkdirSync(bundles, { recursive: true });
  for (const [part, { scripts, metafile }] of Object.entries(await bundleForSlim(root, stamp))) {
    for (const [name, script] of Object.entries(scripts))
      writeIfChanged(join(bundles, `${name}.mjs`), Buffer.from(script));
    writeIfChanged(join(bundles, `${part}.json`), Buffer.from(JSON.stringify(metafile, null, 2)));
  }
}

function writeIfChanged(file: string, content: Buffer): void {
  if (!existsSync(file) || !readFileSync(file).equals(content)) writeFileSync(file, content);
}

/** Compiles the Rust host and the bundles to `output`. cargo is enough for this host; another target also needs zig. */
function compile(asked: string | undefined, image: boolean, output: string): void {
  const target = asked ?? hostTarget();
  const directory = join(cache, "cargo");
  mkdirSync(directory, { recursive: true });
  const built = join(directory, target, "release", executable);
  const command = [asked ? "zigbuild" : "build", "--release", "--locked", "--quiet", "--target", target];
  const engine = compareSources(target, image, directory);
  if (engine) command.push("--features", "image", "--config", `paths=${JSON.stringify([engine])}`);
  // All clones share the directory, so cargo compiles their common crates once. flock waits until the other clone's executable
  // is copied. cargo compares file times: without the touch, it would take another clone's build for this one's older files.
  const isSame = '[ "$(cat "$LAST" 2>&1)" = "$SOURCES" ]';
  const script = `ln -sfn "$BUNDLES" "$CNI_WRAPPERS_BUNDLES"; ${isSame} || touch build.rs src/main.rs; cargo "$@" && echo "$SOURCES" >"$LAST" && cp "$BUILT" "$OUTPUT"`;
  const run = spawnSync("flock", [join(directory, "cni-wrappers.lock"), "sh", "-c", script, "sh", ...command], {
    cwd: crate,
    encoding: "utf8",
    env: {
      ...process.env,
      ...settings(directory),
      BUNDLES: bundles,
      BUILT: built,
      OUTPUT: output,
      LAST: join(directory, target, "cni-wrappers.sources"),
      SOURCES: `${checksumOfSources()} ${image}`,
    },
  });
  if (run.status !== 0) throw new Error(`cargo failed: ${firstError(run)}`);
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

function checksumOfSources(): string {
  const files = ["Cargo.toml", "Cargo.lock", "build.rs", "order.ld", "panic.json"].map((name) => join(crate, name));
  const folders = [join(crate, "src"), bundles];
  files.push(
    ...folders.flatMap((folder) =>
      readdirSync(folder)
        .sort()
        .map((name) => join(folder, name)),
    ),
  );
  const hash = createHash("sha256");
  for (const file of files) hash.update(`${relative(root, file)}\n`).update(readFileSync(file));
  return hash.digest("hex");
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
function settings(directory: string): Record<string, string> {
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

await runBuild(build);
