import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { type BuildOptions, build, formatMessages, type Metafile } from "esbuild";
import type { Stamp } from "./stamp.ts";

/** Scripts by file name (without the extension), and esbuild's list of the source files in them. */
export interface Bundle {
  readonly scripts: Readonly<Record<string, Uint8Array>>;
  readonly metafile: Metafile;
}

const [nodeMain, slimMain] = ["shared/host/node/main.ts", "shared/host/slim/main.ts"];

/**
 * Bundles the Node flavor's scripts, all of them ASCII. `core` is a function of `require` and `process` that answers a call.
 * `start` runs the core. `jq` is the core's thread for jq. Paths are relative to `root`. `cli` is a function as `core`, for
 * a call with arguments.
 */
export async function bundleForNode(root: string, stamp: Stamp) {
  const node = { platform: "node", target: "node24", format: "cjs" } as const;
  const isFunction = { banner: { js: "(function (require, process) {" }, footer: { js: "})" } };
  const define = { ...constants(stamp), __PARTS__: JSON.stringify(partsOf(root)) };
  // The npm package has the commands too.
  const inCli = { define, target: "node22", ...isFunction };
  const inCore = { define: constants(stamp), ...isFunction };
  return {
    core: await runEsbuild(root, { core: nodeMain }, { ...node, ...inCore }),
    start: await runEsbuild(root, { start: "shared/host/node/start.ts" }, node),
    jq: await runEsbuild(root, { jq: "shared/host/node/jq-thread.ts" }, node),
    // jsonc-parser's main file loads its parts in a way that esbuild cannot follow.
    cli: await runEsbuild(root, { cli: "cli/main.ts" }, { ...node, mainFields: ["module", "main"], ...inCli }),
  };
}

/** Bundles the slim flavor's module, which the Rust host loads by its name. */
export async function bundleForSlim(root: string, stamp: Stamp) {
  const slim = { platform: "neutral", target: "es2022", format: "esm" } as const;
  return {
    core: await runEsbuild(root, { main: slimMain }, { ...slim, define: constants(stamp) }),
  };
}

function constants(stamp: Stamp): Record<string, string> {
  return { __VERSION__: JSON.stringify(stamp.version), __COMMIT__: JSON.stringify(stamp.commit) };
}

/** Returns the versions of the packages that the commands contain, and of jq in one of them. */
function partsOf(root: string): Record<string, string> {
  const { dependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as Record<string, object>;
  const versions: Record<string, string> = { ...dependencies };
  return { ...versions, jq: versions["jq-wasm"]?.replace(/^.*-jq-/, "") ?? "unknown" };
}

async function runEsbuild(root: string, entryPoints: Record<string, string>, options: BuildOptions): Promise<Bundle> {
  const { metafile, outputFiles, warnings } = await build({
    ...options,
    absWorkingDir: root,
    entryPoints,
    outdir: "dist",
    write: false,
    bundle: true,
    minify: true,
    metafile: true,
    logLevel: "silent",
  });
  // esbuild warns of code that fails only on a user's host: an empty import.meta, for example.
  if (warnings.length > 0) throw new Error((await formatMessages(warnings, { kind: "warning" })).join(""));
  const scripts = outputFiles.map(({ path, contents }) => [basename(path, ".js"), contents]);
  return { scripts: Object.fromEntries(scripts), metafile };
}
