import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  globSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { differenceOf } from "./registry.ts";
import { emulatorFor } from "./toolchain.ts";

const engine = "rquickjs-sys";

/**
 * Applies the patch to the engine's unpacked sources, and moves them into the cache. Returns a link to them. The link is in
 * the crate: the bytes of the executable depend on the path of a crate, but not on where this one is.
 */
export function patchedEngine(crate: string, directory: string, unpacked: string): string {
  const patch = join(crate, "engine.patch");
  const [sources = ""] = globSync(`${engine}-*`, { cwd: unpacked });
  const version = sources.slice(engine.length + 1);
  // cargo does not look for changes in C files, so another patch is another path.
  const checksum = createHash("sha256").update(version).update(readFileSync(patch)).digest("hex").slice(0, 16);
  const [copy, link] = [join(directory, `${engine}-${checksum}`), join(crate, `.engine-${checksum}`)];
  applyPatch(join(unpacked, sources), patch);
  keep(join(unpacked, sources), copy);
  if (!existsSync(link) || readlinkSync(link) !== copy) {
    rmSync(link, { force: true });
    symlinkSync(copy, link);
  }
  return link;
}

function applyPatch(sources: string, patch: string): void {
  // Without fuzz: lines that moved are found, but changed ones stop the build.
  const run = spawnSync("patch", ["--fuzz=0", "--strip=1", `--input=${patch}`], { cwd: sources, encoding: "utf8" });
  if (run.status !== 0)
    throw new Error(`build/slim/engine.patch does not apply to ${engine}: ${run.error?.message ?? run.stdout.trim()}`);
}

/** Moves the sources to their place, unless an older build has done that. What that one compiled from others stays in the cache. */
function keep(sources: string, copy: string): void {
  try {
    renameSync(sources, copy);
  } catch {
    const difference = differenceOf(sources, copy);
    if (difference) throw new Error(`${copy} is not the patched engine, remove ${dirname(copy)}: ${difference}`);
  }
}

/** The image begins with this, in the executable and in what the executable writes. */
const magic = "cni-wrappers-img";

/** Runs a new executable, which writes the heap image to stdout, and puts the image into it. */
export function addImage(executable: string, target: string): void {
  const emulator = emulatorFor(target);
  insertImage(executable, emulator ? [emulator, executable] : [executable]);
}

/** Puts the heap image into an executable. The command runs the executable, which writes it to stdout. */
export function insertImage(executable: string, [command, ...args]: readonly [string, ...string[]]): void {
  const run = spawnSync(command, args, { env: { PATH: process.env.PATH }, maxBuffer: 1 << 26 });
  if (run.status !== 0) throw new Error(`the executable wrote no heap image: ${run.error ?? run.stderr}`);
  const file = readFileSync(executable);
  const start = file.indexOf(magic);
  const isUnique = start >= 0 && file.indexOf(magic, start + 1) < 0;
  if (!isUnique || run.stdout.indexOf(magic) !== 0 || start + run.stdout.length > file.length) {
    throw new Error("the executable has no place for its heap image");
  }
  run.stdout.copy(file, start);
  writeFileSync(executable, file);
}
