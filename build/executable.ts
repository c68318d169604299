import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { emulator, findNode } from "./node-base.ts";
import { outputOf, root } from "./publish.ts";

/**
 * Turns the bundle `script` into the stand-alone executable `output`, for the architecture `arch` as Node names it. `assets`
 * are the files in it, by the names under which it finds them. Every path is absolute.
 */
export function makeExecutable(
  script: string,
  output: string,
  assets: Record<string, string> = {},
  arch: string = process.arch,
): void {
  const { path, version } = findNode(arch);
  const options = { script, output, assets, nodeRange: `node${version}`, arch };
  const home = join(dirname(script), "home");
  fillCacheOfPkg(home, `node-v${version}-linux-${arch}`, path);
  // pkg.ts needs its directory inside the script's.
  const env = { TMPDIR: dirname(script), HOME: home };
  run([findNode().path, join(root, "build/pkg.ts"), JSON.stringify(options)], env);
  rmSync(home, { recursive: true });
}

/** pkg runs a Node that it is given, and so takes none for another architecture. It takes one from its cache of downloads. */
function fillCacheOfPkg(home: string, name: string, node: string): void {
  const archive = join(home, ".pkg-cache/sea", `${name}.tar.gz`);
  const program = join(home, ".pkg-cache/sea", name, "bin/node");
  mkdirSync(dirname(program), { recursive: true });
  symlinkSync(node, program);
  // pkg takes a file as whole if there is another one with this ending.
  for (const file of [archive, `${archive}.ok`, `${program}.ok`]) writeFileSync(file, "");
}

/** Compiles a script and writes V8's code to `output`. V8 rejects the code of another architecture. */
export function writeCodeCache(script: string, output: string, arch: string = process.arch): void {
  run([...emulator(arch), findNode(arch).path, "--random-seed=1", join(root, "build/code-cache.ts"), script, output]);
}

/** Runs a command without the builder's environment: NODE_OPTIONS would change the result. */
function run([command = "", ...args]: readonly string[], env: Record<string, string> = {}): void {
  outputOf(command, args, { env }, "the executable cannot be made");
}
