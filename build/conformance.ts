import { mkdirSync, renameSync, statSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { parseArgs } from "node:util";
import { bundleForConformance } from "./bundle.ts";
import { makeExecutable } from "./executable.ts";
import { makeStage, root, runBuild } from "./publish.ts";
import { executableIn } from "./release/artifacts.ts";
import { readStamp } from "./stamp.ts";

const name = executableIn("conformance");

/** Builds `cni-conformance` into `dist/conformance/bin`, or into `dist/conformance/<arch>/bin` for `--arch <arch>`. */
async function build(): Promise<void> {
  const { arch } = parseArgs({ options: { arch: { type: "string" } } }).values;
  const dist = join(root, "dist/conformance", arch ?? "");
  const stage = makeStage(dist);
  const at = (file: string) => join(stage, file);
  const stamp = readStamp(root);
  const { scripts, metafile } = await bundleForConformance(root, stamp);
  for (const script of Object.values(scripts)) writeFileSync(at(`${name}.cjs`), script);
  writeFileSync(at("meta.json"), JSON.stringify({ conformance: metafile }, null, 2));
  makeExecutable(at(`${name}.cjs`), at(`bin/${name}`), {}, arch);
  mkdirSync(join(dist, "bin"), { recursive: true });
  for (const file of [`bin/${name}`, "meta.json"]) renameSync(at(file), join(dist, file));
  const { size } = statSync(join(dist, "bin", name));
  console.log(`${relative(root, join(dist, "bin"))}: ${name} ${stamp.version}, ${(size / 1e6).toFixed(1)} MB`);
}

await runBuild(build);
