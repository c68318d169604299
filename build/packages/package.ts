import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { runCli } from "../../cli/program.ts";
import { plainTerminal } from "../plain-terminal.ts";
import { readProject } from "../project.ts";
import { links, outputOf, root } from "../publish.ts";
import { type Artifact, flavors } from "../release/artifacts.ts";
import type { Stamp } from "../stamp.ts";
import { contentsOf } from "./contents.ts";

const files = join(import.meta.dirname, "files");

/** What a package is made of. */
export interface PackageSource extends Artifact {
  /** The directory of an unpacked archive. */
  readonly archive: string;
  readonly stamp: Stamp;
  /** The time of all files, in seconds. */
  readonly epoch: number;
  /** The program that makes packages. */
  readonly nfpm: string;
}

/** Makes the .deb and the .rpm of an artifact in the directory `output`, with the help of an empty directory. Returns their paths. */
export async function makePackages(source: PackageSource, output: string, work: string): Promise<readonly string[]> {
  const { flavor, architecture, archive, stamp, epoch, nfpm } = source;
  const { maintainer, repository: homepage } = readProject();
  if (flavor === "node") await writeMade(work, stamp);
  const configuration = {
    name: flavors[flavor],
    arch: architecture,
    version: stamp.version,
    mtime: new Date(epoch * 1000).toISOString(),
    maintainer,
    homepage,
    license: "Apache-2.0",
    section: "net",
    description:
      flavor === "slim"
        ? "CNI plugins for several interfaces in one network configuration list"
        : "Commands for network configuration lists of cni-wrappers",
    contents: contentsOf(flavor, links, { archive, files, made: work }),
    ...(flavor === "slim" && { scripts: { preremove: join(files, "prerm") } }),
  };
  const file = join(work, "nfpm.json");
  writeFileSync(file, JSON.stringify(configuration));
  mkdirSync(output, { recursive: true });
  return ["deb", "rpm"].map((packager) => {
    const made = join(output, `${flavors[flavor]}_${stamp.version}_${architecture}.${packager}`);
    const env = { ...process.env, SOURCE_DATE_EPOCH: String(epoch) };
    const args = ["package", "--config", file, "--packager", packager, "--target", made];
    outputOf(nfpm, args, { env }, "nfpm failed");
    return made;
  });
}

async function writeMade(directory: string, stamp: Stamp): Promise<void> {
  for (const shell of ["bash", "zsh", "fish"])
    writeFileSync(join(directory, shell), await printedBy(["completion", shell], stamp));
  writeFileSync(join(directory, "man.gz"), gzipSync(await printedBy(["man"], stamp)));
  const units = join(root, "conf-examples/systemd");
  for (const unit of ["service", "timer"].map((kind) => `cni-wrappers-prune.${kind}`))
    copyFileSync(join(units, unit), join(directory, unit));
}

async function printedBy(args: readonly string[], stamp: Stamp): Promise<string> {
  const { terminal, printed } = plainTerminal({ ...stamp, flavor: "node", target: "", parts: {} }, root);
  await runCli(args, terminal);
  return printed();
}
