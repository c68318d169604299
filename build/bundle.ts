import { type BuildOptions, build, formatMessages, type Metafile } from "esbuild";
import { compiledSchemas } from "./schemas.ts";
import type { Stamp } from "./stamp.ts";

/** The script that the executable runs, and esbuild's account of what went into it, and into the words for faults within. */
export type Bundle = { script: Uint8Array; metafile: Metafile; problem?: Metafile };

/** What differs between the bundles of the flavors, in esbuild's words. */
const flavors = {
  node: { platform: "node", target: "node24", format: "cjs" },
  slim: { platform: "neutral", target: "es2022", format: "esm" },
} as const;

export type Flavor = keyof typeof flavors;

const problemModule = "shared/protocol/problem.ts";

/** Bundles the module at `entry`, and all that it imports, into one script for that flavor; paths are relative to `root`. */
export async function bundle(root: string, entry: string, stamp: Stamp, flavor: Flavor = "node"): Promise<Bundle> {
  const define = { __VERSION__: JSON.stringify(stamp.version), __COMMIT__: JSON.stringify(stamp.commit) };
  // The Rust host has the words for faults in a bundle of their own; in Node's they are a text in the script, which is not
  // even parsed as long as there is no fault.
  const problem = flavor === "node" ? await bundleProblem(root) : undefined;
  const text = problem && JSON.stringify(`${Buffer.from(problem.script)}return problem;`);
  const load = text ? `Function(${text})()` : "globalThis.loadProblem()";
  const bundled = await runEsbuild(root, entry, { ...flavors[flavor], define, plugins: [compiledSchemas(root, load)] });
  if (problem === undefined) return bundled;
  return { ...bundled, problem: problem.metafile };
}

/** By itself, so that esbuild leaves out what of zod is not used: it cannot where a module is loaded in the course of a call. */
function bundleProblem(root: string): Promise<Bundle> {
  return runEsbuild(root, problemModule, { ...flavors.node, format: "iife", globalName: "problem" });
}

async function runEsbuild(root: string, entry: string, options: BuildOptions): Promise<Bundle> {
  const { metafile, outputFiles, warnings } = await build({
    ...options,
    absWorkingDir: root,
    entryPoints: [entry],
    write: false,
    bundle: true,
    minify: true,
    charset: "utf8",
    metafile: true,
    logLevel: "silent",
  });
  // What esbuild only warns of (an import.meta that is empty, say) would fail on somebody's host.
  if (warnings.length > 0) throw new Error((await formatMessages(warnings, { kind: "warning" })).join(""));
  const [output] = outputFiles;
  if (output === undefined) throw new Error(`esbuild made nothing of ${entry}`);
  return { script: output.contents, metafile };
}
