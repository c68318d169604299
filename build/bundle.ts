import { build, formatMessages, type Metafile } from "esbuild";
import type { Stamp } from "./stamp.ts";

/** The script that the executable runs, and esbuild's account of what went into it. */
export type Bundle = { script: Uint8Array; metafile: Metafile };

/** Bundles the host's entry at `entry`, and all that it imports, into one CommonJS script; paths are relative to `root`. */
export async function bundle(root: string, entry: string, stamp: Stamp): Promise<Bundle> {
  const { metafile, outputFiles, warnings } = await build({
    absWorkingDir: root,
    entryPoints: [entry],
    write: false,
    bundle: true,
    platform: "node",
    target: "node24",
    format: "cjs",
    minify: true,
    charset: "utf8",
    define: { __VERSION__: JSON.stringify(stamp.version), __COMMIT__: JSON.stringify(stamp.commit) },
    metafile: true,
    logLevel: "silent",
  });
  // What esbuild only warns of (an import.meta that is empty, say) would fail on somebody's host.
  if (warnings.length > 0) throw new Error((await formatMessages(warnings, { kind: "warning" })).join(""));
  const [output] = outputFiles;
  if (output === undefined) throw new Error(`esbuild made nothing of ${entry}`);
  return { script: output.contents, metafile };
}
