import { readFileSync, writeFileSync } from "node:fs";
import { chmod } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, dirname, join, resolve } from "node:path";
import { log } from "@yao-pkg/pkg/lib-es5/log.js";
import pkg from "@yao-pkg/pkg/lib-es5/sea.js";

const require = createRequire(import.meta.url);

/** Node's SEA configuration (pkg's own types know half of it) for the script at `main`. */
const seaConfig = (main: string, assets: Record<string, string>) => ({
  main,
  assets,
  // A runtime's NODE_OPTIONS must not reach a plugin that runs as root.
  execArgvExtension: "none",
  disableExperimentalSEAWarning: true,
  // It would be of the script as it is before anything of it has run: code-cache.ts makes a better one.
  useCodeCache: false,
  useSnapshot: false,
});

/**
 * Turns the bundle `script` into the stand-alone executable `output`, for the architecture of this host. `assets` are files
 * that it carries along, by the name under which it finds them.
 */
export async function makeExecutable(
  script: string,
  output: string,
  assets: Record<string, string> = {},
): Promise<void> {
  const { path, version } = findNode();
  const base = join(dirname(script), "node");
  copyLoaded(path, base);
  log.info = () => {};
  // The blob keeps the script's path as it is given here: relative to pkg's temporary directory it is the same in every
  // clone, and with it every byte of the executable.
  process.env.TMPDIR = dirname(script);
  const target = { nodeRange: `node${version}`, platform: "linux", arch: process.arch, output } as const;
  const options = { targets: [target], signature: false, nodePath: base };
  await pkg.default(script, { ...options, seaConfig: seaConfig(join("..", basename(script)), assets) });
  await chmod(output, 0o755);
}

/** The Node that executables are made of. */
export function findNode(): { path: string; version: string } {
  const manifest = require.resolve(`node-linux-${process.arch}/package.json`);
  return { path: resolve(manifest, "../bin/node"), version: require(manifest).version };
}

/**
 * Copies a 64-bit ELF executable without what is never loaded, all of it at its end: symbols, debugging information, sections.
 * A table of sections with their names alone stays, for what is put in later. Offsets are those of elf(5).
 */
function copyLoaded(from: string, to: string): void {
  const file = readFileSync(from);
  const [start, size, count] = [Number(file.readBigUInt64LE(32)), file.readUInt16LE(54), file.readUInt16LE(56)];
  const headers = Array.from({ length: count }, (_, index) => start + index * size);
  const ends = headers.map((header) => Number(file.readBigUInt64LE(header + 8) + file.readBigUInt64LE(header + 32)));
  const loaded = file.subarray(0, Math.ceil(Math.max(...ends) / 8) * 8);
  const names = Buffer.from("\0.shstrtab\0".padEnd(16, "\0"));
  const sections = Buffer.alloc(2 * 64);
  // The second: its name's place, SHT_STRTAB, its offset, its size.
  sections.writeUInt32LE(1, 64);
  sections.writeUInt32LE(3, 64 + 4);
  sections.writeBigUInt64LE(BigInt(loaded.length), 64 + 24);
  sections.writeBigUInt64LE(BigInt(names.length), 64 + 32);
  loaded.writeBigUInt64LE(BigInt(loaded.length + names.length), 40);
  loaded.writeUInt16LE(2, 60);
  loaded.writeUInt16LE(1, 62);
  writeFileSync(to, Buffer.concat([loaded, names, sections]), { mode: 0o755 });
}
