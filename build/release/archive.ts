import { spawnSync } from "node:child_process";
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import type { Component } from "../inside/component.ts";
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
export function makeArchive(
  artifact: Artifact,
  stamp: Stamp,
  epoch: number,
  output: string,
  { build, inventory } = making,
): string {
  const name = archiveName(artifact, stamp.version);
  const stage = mkdtempSync(join(output, ".release-"));
  try {
    const [content, files] = [join(stage, "content"), join(stage, "files")];
    const archive = join(files, name);
    mkdirSync(files);
    cpSync(build(artifact), content, { recursive: true, verbatimSymlinks: true });
    for (const file of ["LICENSE", "README.md"]) copyFileSync(join(root, file), join(content, file));
    describe(artifact, stamp, epoch, content, inventory(artifact));
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

/** A program of the build, and the directory with its result. */
interface Program {
  readonly script: string;
  readonly args: readonly string[];
  readonly result: string;
}

/** Returns the program that builds an executable. */
export function programFor({ flavor, architecture }: Artifact): Program {
  const { target, node } = architectures[architecture];
  const forNode = ["--arch", node];
  if (flavor === "conformance")
    return { script: "build/conformance.ts", args: forNode, result: `dist/conformance/${node}/bin` };
  if (flavor === "node") return { script: "build/build.ts", args: forNode, result: `dist/${node}/bin` };
  return { script: "build/slim/build.ts", args: ["--target", target], result: `dist/slim/${target}/bin` };
}

/** Runs a program of the build with further tools in PATH. Returns the directory with its result. */
export function run({ script, args, result }: Program, tools: readonly string[], sources = root): string {
  const env = { ...process.env, PATH: [...tools, process.env.PATH].join(delimiter) };
  const ended = spawnSync(process.execPath, [join(sources, script), ...args], { cwd: sources, encoding: "utf8", env });
  // guard: no archive of an older build
  if (ended.status !== 0) throw new Error(firstError(ended).replace(/^build: /, ""));
  return join(sources, result);
}

/** Builds the executable. Returns the directory with it and its links. */
function build(artifact: Artifact): string {
  return run(programFor(artifact), artifact.flavor === "slim" ? [installZig()] : []);
}

/** How the executable of an archive is made, and how its parts are found. */
const making = { build, inventory };

/** The name of the bill of materials in an archive. */
export const bill = "cni-wrappers.cdx.json";

/** Writes the NOTICE and the bill of materials next to the executable. */
function describe(
  { flavor, architecture }: Artifact,
  stamp: Stamp,
  epoch: number,
  directory: string,
  components: readonly Component[],
): void {
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
