import { build, formatMessages, type Metafile } from "esbuild";
import type { Stamp } from "./stamp.ts";

/** Bundles the host's entry at `entry` (relative to `root`) into one CommonJS file, and tells what went into it. */
export async function bundle(root: string, entry: string, outfile: string, stamp: Stamp): Promise<Metafile> {
  const { metafile, warnings } = await build({
    absWorkingDir: root,
    entryPoints: [entry],
    outfile,
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
  return metafile;
}
