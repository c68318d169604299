// Usage: npm run release [-- --arch amd64,arm64 --flavor slim,node --output DIRECTORY --dirty]
//
// Builds the archives of a release and its page into dist/release.
import { mkdirSync, statSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { pageText } from "../page/page-text.ts";
import { root, runBuild } from "../publish.ts";
import { readStamp } from "../stamp.ts";
import { makeArchive } from "./archive.ts";
import { chooseArtifacts, pageName } from "./artifacts.ts";
import { epochOf } from "./epoch.ts";
import { missingFor } from "./needs.ts";
import { checksum, writeChecksums } from "./pack.ts";

const { values: options } = parseArgs({
  options: {
    arch: { type: "string" },
    flavor: { type: "string" },
    output: { type: "string" },
    dirty: { type: "boolean" },
  },
});

async function release(): Promise<void> {
  const artifacts = chooseArtifacts(options.flavor, options.arch);
  const missing = missingFor(artifacts);
  if (missing.length > 0) throw new Error(missing.join("\nbuild: "));
  const stamp = readStamp(root);
  const epoch = epochOf(stamp, options.dirty === true);
  const output = resolve(root, options.output ?? "dist/release");
  mkdirSync(output, { recursive: true });
  const page = join(output, pageName(stamp.version));
  writeFileSync(page, (await pageText(root, stamp)).html);
  writeChecksums(page);
  for (const artifact of artifacts) {
    const archive = makeArchive(artifact, stamp, epoch, output);
    const megabytes = (statSync(archive).size / 1e6).toFixed(1);
    console.log(`${relative(root, archive)}: ${megabytes} MB, sha256 ${checksum(archive, "sha256")}`);
  }
}

await runBuild(release);
