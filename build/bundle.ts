import { basename } from "node:path";
import { type BuildOptions, build, formatMessages, type Metafile } from "esbuild";
import { deferredModules, later } from "./deferred.ts";
import { compiledSchemas } from "./schemas.ts";
import type { Stamp } from "./stamp.ts";

/** Scripts by name, without the ending, and esbuild's account of what went into them. */
interface Bundle {
  readonly scripts: Readonly<Record<string, Uint8Array>>;
  readonly metafile: Metafile;
}

const problemModule = "shared/protocol/problem.ts";

/** The script for Node, and esbuild's account of what went into it, and into the words for faults within. */
interface NodeBundle {
  readonly script: Uint8Array;
  readonly metafile: Metafile;
  readonly problem: Metafile;
}

/** Bundles the module at `entry`, and all that it imports, into one script for Node; paths are relative to `root`. */
export async function bundleForNode(root: string, entry: string, stamp: Stamp): Promise<NodeBundle> {
  const options = { platform: "node", target: "node24" } as const;
  // By themselves, so that esbuild leaves out what of zod is not used: it cannot where a module is loaded in the course of a
  // call. They are a text in the script, which is not even parsed as long as there is no fault.
  const words = { ...options, format: "iife", globalName: "problem" } as const;
  const { scripts, metafile: problem } = await runEsbuild(root, { problem: problemModule }, words);
  const text = JSON.stringify(`${Buffer.from(only(scripts))}return problem;`);
  const plugins = [compiledSchemas(root, `Function(${text})()`)];
  const whole = { ...options, format: "cjs", define: defined(stamp), plugins } as const;
  const bundled = await runEsbuild(root, { whole: entry }, whole);
  return { script: only(bundled.scripts), metafile: bundled.metafile, problem };
}

function only(scripts: Bundle["scripts"]): Uint8Array {
  const [script = new Uint8Array(), ...others] = Object.values(scripts);
  if (others.length > 0) throw new Error("esbuild made more than one script");
  return script;
}

/**
 * Bundles the slim flavor's modules: `main` for every call, `later` for what not every call needs, `shared` for what both
 * import, and `problem` for the words for faults. `load(name)` is the Rust host's.
 */
export async function bundleForSlim(root: string, stamp: Stamp): Promise<{ core: Bundle; problem: Bundle }> {
  const options = { platform: "neutral", target: "es2022", format: "esm" } as const;
  const plugins = [
    compiledSchemas(root, 'globalThis.load("problem")'),
    deferredModules(root, `globalThis.load(${JSON.stringify(later)})`),
  ];
  const entries = { main: "shared/host/slim/main.ts", [later]: later };
  const parts = { splitting: true, chunkNames: "shared", define: defined(stamp), plugins };
  return {
    core: await runEsbuild(root, entries, { ...options, ...parts }),
    problem: await runEsbuild(root, { problem: problemModule }, options),
  };
}

function defined(stamp: Stamp): Record<string, string> {
  return { __VERSION__: JSON.stringify(stamp.version), __COMMIT__: JSON.stringify(stamp.commit) };
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
    charset: "utf8",
    metafile: true,
    logLevel: "silent",
  });
  // What esbuild only warns of (an import.meta that is empty, say) would fail on somebody's host.
  if (warnings.length > 0) throw new Error((await formatMessages(warnings, { kind: "warning" })).join(""));
  const scripts = outputFiles.map(({ path, contents }) => [basename(path, ".js"), contents]);
  return { scripts: Object.fromEntries(scripts), metafile };
}
