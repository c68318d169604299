import { spawnSync } from "node:child_process";
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { inventory } from "../inside/inventory.ts";
import { noticeText } from "../inside/notice.ts";
import { sbom } from "../inside/sbom.ts";
import { firstError, root } from "../publish.ts";
import type { Stamp } from "../stamp.ts";
import { type Artifact, architectures, archiveName, executableIn, flavors } from "./artifacts.ts";
import { checksum, pack, writeChecksums } from "./pack.ts";
import { provenance } from "./provenance.ts";
import { installZig } from "./zig.ts";

/** Makes an archive and the files next to it in the directory `output`. Returns the archive's path. */
export function makeArchive(artifact: Artifact, stamp: Stamp, epoch: number, output: string): string {
  const name = archiveName(artifact, stamp.version);
  const stage = mkdtempSync(join(output, ".release-"));
  try {
    const [content, files] = [join(stage, "content"), join(stage, "files")];
    const archive = join(files, name);
    mkdirSync(files);
    cpSync(build(artifact), content, { recursive: true, verbatimSymlinks: true });
    for (const file of ["LICENSE", "README.md"]) copyFileSync(join(root, file), join(content, file));
    describe(artifact, stamp, epoch, content);
    copyFileSync(join(content, bill), `${archive}.cdx.json`);
    pack(content, archive, epoch);
    writeChecksums(archive);
    writeJson(`${archive}.intoto.json`, provenance(artifact, archive, stamp));
    for (const file of readdirSync(files)) renameSync(join(files, file), join(output, file));
  } finally {
    rmSync(stage, { recursive: true, force: true });
  }
  return join(output, name);
}

/** Builds the executable. Returns the directory with it and its links. */
function build({ flavor, architecture }: Artifact): string {
  const { target, node } = architectures[architecture];
  if (flavor === "conformance") return run("build/conformance.ts", ["--arch", node], `dist/conformance/${node}/bin`);
  if (flavor === "node") return run("build/build.ts", ["--arch", node], `dist/${node}/bin`);
  return run("build/slim/build.ts", ["--target", target], `dist/slim/${target}/bin`, installZig());
}

function run(script: string, args: readonly string[], result: string, tools = ""): string {
  const env = { ...process.env, PATH: [tools, process.env.PATH].filter(Boolean).join(delimiter) };
  const ended = spawnSync(process.execPath, [join(root, script), ...args], { cwd: root, encoding: "utf8", env });
  if (ended.status !== 0) throw new Error(firstError(ended).replace(/^build: /, ""));
  return join(root, result);
}

/** The name of the bill of materials in an archive. */
export const bill = "cni-wrappers.cdx.json";

/** Writes the NOTICE and the bill of materials next to the executable. */
function describe(artifact: Artifact, stamp: Stamp, epoch: number, directory: string): void {
  const { flavor, architecture } = artifact;
  const components = inventory(artifact);
  const name = `${flavors[flavor]}-linux-${architecture}`;
  writeFileSync(join(directory, "NOTICE"), noticeText(`${name} ${stamp.version}`, components));
  const sha256 = checksum(join(directory, executableIn(flavor)), "sha256");
  const { target, node } = architectures[architecture];
  const subject = { name, flavor, target: flavor === "slim" ? target : `linux-${node}`, stamp, epoch, sha256 };
  writeJson(join(directory, bill), sbom(subject, components));
}

function writeJson(file: string, value: object): void {
  writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`);
}
