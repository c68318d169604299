import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { machine } from "node:os";
import { dirname, join } from "node:path";
import { firstError } from "../publish.ts";

const engine = "rquickjs-sys";

/**
 * Copies the engine's sources out of cargo's registry and applies the patch. Returns the directory of the copy, which is
 * below `directory` and kept: cargo compiles it again if its files have new times.
 */
export function patchedEngine(crate: string, directory: string): string {
  const patch = join(crate, "engine.patch");
  const original = engineSources(crate);
  const checksum = createHash("sha256").update(original).update(readFileSync(patch)).digest("hex");
  const patched = join(directory, `${engine}-${checksum.slice(0, 16)}`);
  if (existsSync(patched)) return patched;
  const unfinished = mkdtempSync(`${patched}-`);
  cpSync(original, unfinished, { recursive: true });
  // Without fuzz: lines that moved are found, but changed ones stop the build.
  const run = spawnSync("patch", ["--fuzz=0", "--strip=1", `--input=${patch}`], { cwd: unfinished, encoding: "utf8" });
  if (run.status !== 0) {
    rmSync(unfinished, { recursive: true });
    throw new Error(`build/slim/engine.patch does not apply to ${engine}: ${run.error?.message ?? run.stdout.trim()}`);
  }
  try {
    renameSync(unfinished, patched);
  } catch {
    // Another build was faster.
    rmSync(unfinished, { recursive: true });
  }
  return patched;
}

function engineSources(crate: string): string {
  const args = ["metadata", "--locked", "--format-version", "1"];
  const run = spawnSync("cargo", args, { cwd: crate, encoding: "utf8", maxBuffer: 1 << 26 });
  if (run.status !== 0) throw new Error(`cargo failed: ${firstError(run)}`);
  const { packages } = JSON.parse(run.stdout) as { packages: { name: string; manifest_path: string }[] };
  const found = packages.find(({ name }) => name === engine);
  if (!found) throw new Error(`Cargo.lock has no ${engine}`);
  return dirname(found.manifest_path);
}

/** The image begins with this, in the executable and in what the executable writes. */
const magic = "cni-wrappers-img";

/** Runs a new executable, which writes the heap image to stdout, and puts the image into it. */
export function addImage(executable: string, target: string): void {
  const [architecture = ""] = target.split("-");
  const emulator = architecture === machine() ? [] : [`qemu-${architecture}-static`];
  const [command = "", ...args] = [...emulator, executable];
  const run = spawnSync(command, args, { env: {}, maxBuffer: 1 << 26 });
  if (run.error && emulator.length > 0) {
    throw new Error(`${command} must write the heap image, and is missing in PATH: apt-get install qemu-user-static`);
  }
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
