import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { parseArgs } from "node:util";
import { cache, executable, makeStage, outputOf, publish, report, root, runBuild } from "../publish.ts";
import { readStamp } from "../stamp.ts";
import { argumentsOf, bundles, crate, settings, writeBundles } from "./cargo.ts";
import { addImage } from "./image.ts";
import { cargoProblem, crossProblem, hostTarget, imageProblem } from "./toolchain.ts";

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

/** Compiles the Rust host and the bundles to `output`. cargo is enough for this host; another target also needs zig. */
function compile(asked: string | undefined, image: boolean, output: string): void {
  const target = asked ?? hostTarget();
  const directory = join(cache, "cargo");
  mkdirSync(directory, { recursive: true });
  const built = join(directory, target, "release", executable);
  const command = [asked ? "zigbuild" : "build", ...argumentsOf(target, image, directory)];
  // All clones share the directory, so cargo compiles their common crates once. flock waits until the other clone's executable
  // is copied. cargo compares file times: without the touch, it would take another clone's build for this one's older files.
  const isSame = '[ "$(cat "$LAST" 2>&1)" = "$SOURCES" ]';
  const script = `ln -sfn "$BUNDLES" "$CNI_WRAPPERS_BUNDLES"; ${isSame} || touch build.rs src/main.rs; cargo "$@" && echo "$SOURCES" >"$LAST" && cp "$BUILT" "$OUTPUT"`;
  const lock = join(directory, "cni-wrappers.lock");
  const locked = [lock, "sh", "-c", script, "sh", ...command];
  const options = {
    cwd: crate,
    env: {
      ...process.env,
      ...settings(directory),
      BUNDLES: bundles,
      BUILT: built,
      OUTPUT: output,
      LAST: join(directory, target, "cni-wrappers.sources"),
      SOURCES: `${checksumOfSources()} ${image}`,
    },
  };
  const isHeld = spawnSync("flock", ["--nonblock", lock, "true"]).status === 1;
  if (isHeld) console.log(`build: waiting for another build, which holds ${lock}`);
  outputOf("flock", locked, options, "cargo failed");
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

await runBuild(build);
