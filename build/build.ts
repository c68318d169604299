import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { bundleForNode } from "./bundle.ts";
import { makeExecutable, writeCodeCache } from "./executable.ts";
import { writeNpmPackage } from "./npm/package.ts";
import { pageText } from "./page/page-text.ts";
import { executable, makeStage, publish, report, root, runBuild } from "./publish.ts";
import { readStamp } from "./stamp.ts";

/** Builds the Node flavor: `dist/bin` for this host, `dist/<arch>/bin` for `--arch <arch>`, as Node names it. */
async function build(): Promise<void> {
  const started = performance.now();
  const { arch } = parseArgs({ options: { arch: { type: "string" } } }).values;
  const dist = join(root, "dist", arch ?? "");
  const stamp = readStamp(root);
  const stage = makeStage(dist);
  const at = (name: string) => join(stage, name);

  const bundles = await bundleForNode(root, stamp);
  for (const { scripts } of Object.values(bundles)) {
    for (const [name, script] of Object.entries(scripts)) writeFileSync(at(`${name}.cjs`), script);
  }
  const page = await pageText(root, stamp);
  writeFileSync(at("page.html"), page.html);
  const accounts = Object.entries({ ...bundles, page }).map(([part, { metafile }]) => [part, metafile]);
  writeFileSync(at("meta.json"), JSON.stringify(Object.fromEntries(accounts), null, 2));
  for (const name of ["core", "cli"]) writeCodeCache(at(`${name}.cjs`), at(`${name}.cache`), arch);
  const assets = {
    core: at("core.cjs"),
    "core.cache": at("core.cache"),
    jq: at("jq.cjs"),
    cli: at("cli.cjs"),
    "cli.cache": at("cli.cache"),
    page: at("page.html"),
  };
  makeExecutable(at("start.cjs"), at(`bin/${executable}`), assets, arch);
  writeNpmPackage(root, at("npm"), readFileSync(at("cli.cjs")), page.html);
  publish(stage, dist);
  rmSync(join(dist, "npm"), { recursive: true, force: true });
  renameSync(at("npm"), join(dist, "npm"));
  renameSync(join(stage, "meta.json"), join(dist, "meta.json"));
  report(dist, stamp, started);
}

await runBuild(build);
