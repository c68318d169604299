import { build, formatMessages, type Metafile } from "esbuild";
import { compiledSchemas } from "./schemas.ts";
import type { Stamp } from "./stamp.ts";

/** The script that the executable runs, and esbuild's account of what went into it. */
export type Bundle = { script: Uint8Array; metafile: Metafile };

/** What differs between the bundles of the flavors: esbuild's options, and how the words for a fault are loaded. */
const flavors = {
  node: { options: { platform: "node", target: "node24", format: "cjs" }, loadProblem: 'require("./problem.ts")' },
  slim: { options: { platform: "neutral", target: "es2022", format: "esm" }, loadProblem: "globalThis.loadProblem()" },
} as const;

export type Flavor = keyof typeof flavors;

/** Bundles the module at `entry`, and all that it imports, into one script for that flavor; paths are relative to `root`. */
export async function bundle(root: string, entry: string, stamp: Stamp, flavor: Flavor = "node"): Promise<Bundle> {
  const { options, loadProblem } = flavors[flavor];
  const { metafile, outputFiles, warnings } = await build({
    absWorkingDir: root,
    entryPoints: [entry],
    write: false,
    bundle: true,
    ...options,
    minify: true,
    charset: "utf8",
    define: { __VERSION__: JSON.stringify(stamp.version), __COMMIT__: JSON.stringify(stamp.commit) },
    plugins: [compiledSchemas(root, loadProblem)],
    metafile: true,
    logLevel: "silent",
  });
  // What esbuild only warns of (an import.meta that is empty, say) would fail on somebody's host.
  if (warnings.length > 0) throw new Error((await formatMessages(warnings, { kind: "warning" })).join(""));
  const [output] = outputFiles;
  if (output === undefined) throw new Error(`esbuild made nothing of ${entry}`);
  return { script: output.contents, metafile };
}
