import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { firstError, root } from "./publish.ts";

const require = createRequire(import.meta.url);

/**
 * Turns the bundle `script` into the stand-alone executable `output`, for the architecture of this host. `assets` are the
 * files in it, by the names under which it finds them. Every path is absolute.
 */
export function makeExecutable(script: string, output: string, assets: Record<string, string> = {}): void {
  const { path, version } = findNode();
  const options = { script, output, assets, nodePath: path, nodeRange: `node${version}`, arch: process.arch };
  // pkg.ts needs its directory inside the script's.
  runNode([join(root, "build/pkg.ts"), JSON.stringify(options)], { TMPDIR: dirname(script) });
}

/** Compiles the script `core` and writes V8's code to `output`. */
export function writeCodeCache(core: string, output: string): void {
  runNode(["--random-seed=1", join(root, "build/code-cache.ts"), core, output]);
}

/** Finds the Node that the executables contain. */
export function findNode(): { path: string; version: string } {
  const manifest = require.resolve(`node-linux-${process.arch}/package.json`);
  return { path: resolve(manifest, "../bin/node"), version: require(manifest).version };
}

/** Runs that Node without the builder's environment: NODE_OPTIONS would change the result. */
function runNode(args: readonly string[], env: Record<string, string> = {}): void {
  const ended = spawnSync(findNode().path, args, { encoding: "utf8", env });
  if (ended.status !== 0) throw new Error(`the executable cannot be made: ${firstError(ended)}`);
}
