import { renameSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { bundleForConformance } from "./bundle.ts";
import { makeExecutable } from "./executable.ts";
import { makeStage, root, runBuild } from "./publish.ts";
import { readStamp } from "./stamp.ts";

const name = "cni-conformance";

/** Builds `cni-conformance`: `dist/conformance` for this host, `dist/conformance/<arch>` for `--arch <arch>`, as Node names it. */
async function build(): Promise<void> {
  const { arch } = parseArgs({ options: { arch: { type: "string" } } }).values;
  const dist = join(root, "dist/conformance", arch ?? "");
  const stage = makeStage(dist);
  const at = (file: string) => join(stage, file);
  const { scripts, metafile } = await bundleForConformance(root, readStamp(root));
  for (const script of Object.values(scripts)) writeFileSync(at(`${name}.cjs`), script);
  writeFileSync(at("meta.json"), JSON.stringify({ conformance: metafile }, null, 2));
  makeExecutable(at(`${name}.cjs`), at(name), {}, arch);
  for (const file of [name, "meta.json"]) renameSync(at(file), join(dist, file));
  console.log(`${join(dist, name)}: ${(statSync(join(dist, name)).size / 1e6).toFixed(1)} MB`);
}

await runBuild(build);
