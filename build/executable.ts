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
  // It gains 1 ms and no two builds are then the same.
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
  const base = findNode();
  log.info = () => {};
  // The blob keeps the script's path as it is given here: relative to pkg's temporary directory it is the same in every
  // clone, and with it every byte of the executable.
  process.env.TMPDIR = dirname(script);
  const target = { nodeRange: `node${base.version}`, platform: "linux", arch: process.arch, output } as const;
  const options = { targets: [target], signature: false, nodePath: base.path };
  await pkg.default(script, { ...options, seaConfig: seaConfig(join("..", basename(script)), assets) });
  await chmod(output, 0o755);
}

function findNode(): { path: string; version: string } {
  const manifest = require.resolve(`node-linux-${process.arch}/package.json`);
  return { path: resolve(manifest, "../bin/node"), version: require(manifest).version };
}
