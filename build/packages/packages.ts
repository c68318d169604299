// Usage: npm run packages [-- --input DIRECTORY --output DIRECTORY]
//
// Makes .deb and .rpm packages of the release archives in dist/release; of the slim ones also a system extension and a
// container image.
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { makeImage } from "../image/oci.ts";
import { makeSystemExtension } from "../image/sysext.ts";
import { outputOf, root, runBuild } from "../publish.ts";
import { parseArchiveName } from "../release/artifacts.ts";
import { writeChecksums } from "../release/pack.ts";
import { readStamp } from "../stamp.ts";
import { nfpmProgram } from "./nfpm.ts";
import { makePackages } from "./package.ts";

const { values } = parseArgs({ options: { input: { type: "string" }, output: { type: "string" } } });

async function packages(): Promise<void> {
  const input = resolve(root, values.input ?? "dist/release");
  const output = resolve(root, values.output ?? "dist/release");
  const archives = readdirSync(input).filter(isPackaged);
  if (archives.length === 0) throw new Error(`there is no archive in ${input}: npm run release makes them`);
  const nfpm = await nfpmProgram();
  for (const name of archives) {
    const work = mkdtempSync(join(tmpdir(), "cni-wrappers-package-"));
    try {
      for (const file of await packagesOf(join(input, name), name, nfpm, output, work)) {
        writeChecksums(file);
        console.log(`${relative(root, file)}: ${(statSync(file).size / 1e6).toFixed(1)} MB`);
      }
    } finally {
      rmSync(work, { recursive: true, force: true });
    }
  }
}

/** cni-conformance is for continuous integration, not for hosts. */
function isPackaged(name: string): boolean {
  const artifact = parseArchiveName(name);
  return artifact !== undefined && artifact.flavor !== "conformance";
}

async function packagesOf(file: string, name: string, nfpm: string, output: string, work: string) {
  const artifact = parseArchiveName(name);
  if (!artifact) throw new Error(`${name} is no archive of a release`);
  const [archive, scratch] = [join(work, "archive"), join(work, "made")];
  for (const directory of [archive, scratch]) mkdirSync(directory);
  outputOf("tar", ["-xzf", file, "-C", archive]);
  // The archive's files have the time of its commit.
  const epoch = Math.floor(statSync(join(archive, "LICENSE")).mtimeMs / 1000);
  const stamp = { ...readStamp(root), version: artifact.version };
  const made = await makePackages({ ...artifact, archive, stamp, epoch, nfpm }, output, scratch);
  if (artifact.flavor !== "slim") return made;
  const source = { ...artifact, archive, commit: stamp.commit, epoch };
  return [...made, makeSystemExtension(source, output, scratch), makeImage(source, output, scratch)];
}

await runBuild(packages);
