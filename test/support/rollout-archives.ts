import { copyFileSync, cpSync, lstatSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { execa } from "execa";
import { built } from "./tree.ts";

/** The architecture in the names of this host's archives. */
export const architecture = process.arch === "arm64" ? "arm64" : "amd64";

/** The checksums of both archives of a release, as Nomad and ansible want them. */
export interface RolloutArchives {
  readonly slim: string;
  readonly tools: string;
}

/** Writes both archives of a version into a directory, with the names of a release. Each has one executable and its links. */
export async function writeArchives(directory: string, version: string, slim: string, tools: string) {
  const name = (prefix: string) => path.join(directory, `${prefix}-linux-${architecture}-v${version}.tgz`);
  const archives: RolloutArchives = {
    slim: await pack(slim, name("cni-wrappers")),
    tools: await pack(tools, name("cni-wrappers-tools")),
  };
  return archives;
}

async function pack(executable: string, archive: string): Promise<string> {
  const content = mkdtempSync(path.join(tmpdir(), "cni-wrappers-content-"));
  try {
    copyFileSync(executable, path.join(content, "cni-wrappers"));
    cpSync(built("bin"), content, { recursive: true, filter: isLink, verbatimSymlinks: true });
    await execa("tar", ["--create", "--use-compress-program=gzip -1", "--file", archive, "--directory", content, "."]);
    const { stdout } = await execa("sha256sum", [archive]);
    return `sha256:${stdout.slice(0, 64)}`;
  } finally {
    rmSync(content, { recursive: true });
  }
}

function isLink(file: string): boolean {
  return lstatSync(file).isDirectory() || lstatSync(file).isSymbolicLink();
}
