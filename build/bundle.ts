import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { type BuildOptions, build, formatMessages, type Metafile, type Plugin } from "esbuild";
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

/** Bundles `cni-conformance` for Node. */
export function bundleForConformance(root: string, stamp: Stamp): Promise<Bundle> {
  const node = { platform: "node", target: "node24", format: "cjs", define: constants(stamp) } as const;
  return runEsbuild(root, { "cni-conformance": "conformance/main.ts" }, node);
}

/** Bundles the slim flavor's module, which the Rust host loads by its name. */
export async function bundleForSlim(root: string, stamp: Stamp) {
  const slim = { platform: "neutral", target: "es2022", format: "esm" } as const;
  return {
    core: await runEsbuild(root, { main: slimMain }, { ...slim, define: constants(stamp) }),
  };
}

/** Bundles the script of the page where anybody can try a list. `examples` are the lists to choose from. */
export async function bundleForPage(root: string, stamp: Stamp, examples: readonly (readonly [string, string])[]) {
  const define = { ...constants(stamp), __EXAMPLES__: JSON.stringify(JSON.stringify(examples)) };
  const browser = { platform: "browser", target: "es2023", format: "iife" } as const;
  const options = { ...browser, mainFields: ["module", "main"], define, plugins: [withoutNode] };
  return runEsbuild(root, { main: "cli/page/main.ts" }, options);
}

/**
 * A browser has no module of Node. What the page does not call is left out, and its imports with it. What is left makes the
 * build fail, but for paths: this package is Node's own code.
 */
export const withoutNode: Plugin = {
  name: "without-node",
  setup({ onResolve, onEnd, resolve }) {
    onResolve({ filter: /^node:path$/ }, ({ resolveDir }) =>
      resolve("path-browserify", { kind: "import-statement", resolveDir }),
    );
    onResolve({ filter: /^(?:node:|util$|os$)/ }, ({ path }) => ({ path, external: true, sideEffects: false }));
    onResolve({ filter: /^\.\.?\/.*\.ts$/ }, ({ path, resolveDir }) => ({
      path: join(resolveDir, path),
      sideEffects: false,
    }));
    onEnd(({ metafile }) => {
      const outputs = Object.values(metafile?.outputs ?? {});
      const left = new Set(outputs.flatMap(({ imports }) => imports.map(({ path }) => path)));
      return { errors: [...left].map((path) => ({ text: `the page would need ${path}` })) };
    });
  },
};

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
