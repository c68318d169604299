import { spawnSync } from "node:child_process";
import { chmodSync, copyFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join, resolve } from "node:path";
import { firstError, root } from "./publish.ts";

const require = createRequire(import.meta.url);

/** Node's configuration of a single executable application (https://nodejs.org/api/single-executable-applications.html). */
const seaConfig = (main: string, output: string, assets: Record<string, string>) => ({
  main,
  output,
  assets,
  // A runtime's NODE_OPTIONS must not reach a plugin that runs as root.
  execArgvExtension: "none",
  disableExperimentalSEAWarning: true,
  // It would hold only the little that V8 compiles before anything runs: code-cache.ts makes a better one.
  useCodeCache: false,
  useSnapshot: false,
});

/** Node looks for this text in itself; postject marks it when there is a blob. */
const fuse = "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2";

/**
 * Turns the bundle `script` into the stand-alone executable `output`, for the architecture of this host, by the three steps of
 * Node's documentation: write a blob, copy Node, put the blob into the copy. `assets` are files that it carries along, by the
 * name under which it finds them.
 */
export function makeExecutable(script: string, output: string, assets: Record<string, string> = {}): void {
  const node = findNode();
  const directory = dirname(script);
  const [config, blob] = ["sea.json", "sea.blob"];
  // The blob keeps the script's path as it is given: a relative one is the same in every clone.
  writeFileSync(join(directory, config), JSON.stringify(seaConfig(basename(script), blob, assets)));
  runNode(["--experimental-sea-config", config], directory);
  copyFileSync(node, output);
  chmodSync(output, 0o755);
  const postject = join(root, "node_modules/.bin/postject");
  runNode([postject, output, "NODE_SEA_BLOB", blob, "--sentinel-fuse", fuse], directory);
}

/** Writes V8's code of the script `core` to `output`. */
export function writeCodeCache(core: string, output: string): void {
  runNode(["--random-seed=1", join(root, "build/code-cache.ts"), core, output], dirname(core));
}

/** The Node that executables are made of. */
export function findNode(): string {
  return resolve(require.resolve(`node-linux-${process.arch}/package.json`), "../bin/node");
}

/** Runs that Node, without the options of the environment. */
function runNode(args: readonly string[], cwd: string): void {
  const ended = spawnSync(findNode(), args, { cwd, encoding: "utf8", env: {} });
  if (ended.status !== 0) throw new Error(`the executable cannot be made: ${firstError(ended)}`);
}
