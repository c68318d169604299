import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { firstError } from "../publish.ts";
import { emulatorFor } from "./toolchain.ts";

const engine = "rquickjs-sys";

/**
 * Copies the engine's sources out of cargo's registry into the cache, and applies the patch. Returns a link to the copy. The
 * link is in the crate: the bytes of the executable depend on the path of a crate, but not on where this one is.
 */
export function patchedEngine(crate: string, directory: string, target: string): string {
  const patch = join(crate, "engine.patch");
  const { version, sources } = engineIn(crate, target);
  // cargo does not look for changes in C files, so another patch is another path.
  const checksum = createHash("sha256").update(version).update(readFileSync(patch)).digest("hex").slice(0, 16);
  const [copy, link] = [join(directory, `${engine}-${checksum}`), join(crate, `.engine-${checksum}`)];
  if (!existsSync(copy)) makeCopy(sources, patch, copy);
  if (!existsSync(link)) {
    rmSync(link, { force: true });
    symlinkSync(copy, link);
  }
  return link;
}

function makeCopy(sources: string, patch: string, copy: string): void {
  const unfinished = mkdtempSync(`${copy}-`);
  try {
    cpSync(sources, unfinished, { recursive: true });
    // Without fuzz: lines that moved are found, but changed ones stop the build.
    const run = spawnSync("patch", ["--fuzz=0", "--strip=1", `--input=${patch}`], {
      cwd: unfinished,
      encoding: "utf8",
    });
    if (run.status !== 0) {
      throw new Error(
        `build/slim/engine.patch does not apply to ${engine}: ${run.error?.message ?? run.stdout.trim()}`,
      );
    }
    // Another build may have been faster.
    if (!existsSync(copy)) renameSync(unfinished, copy);
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
}

function engineIn(crate: string, target: string): { readonly version: string; readonly sources: string } {
  const args = ["metadata", "--locked", "--format-version", "1", "--filter-platform", target];
  const run = spawnSync("cargo", args, { cwd: crate, encoding: "utf8", maxBuffer: 1 << 26 });
  if (run.status !== 0) throw new Error(`cargo failed: ${firstError(run)}`);
  const { packages } = JSON.parse(run.stdout) as { packages: Record<"name" | "version" | "manifest_path", string>[] };
  const found = packages.find(({ name }) => name === engine);
  if (!found) throw new Error(`Cargo.lock has no ${engine}`);
  return { version: found.version, sources: dirname(found.manifest_path) };
}

/** The image begins with this, in the executable and in what the executable writes. */
const magic = "cni-wrappers-img";

/** Runs a new executable, which writes the heap image to stdout, and puts the image into it. */
export function addImage(executable: string, target: string): void {
  const emulator = emulatorFor(target);
  const [command, ...args] = emulator ? ([emulator, executable] as const) : ([executable] as const);
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
