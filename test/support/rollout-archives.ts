import { copyFileSync, cpSync, linkSync, lstatSync, mkdtempDisposableSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { execa } from "execa";
import { built } from "./tree.ts";

/** The architecture in the names of this host's archives. */
export const architecture = process.arch === "arm64" ? "arm64" : "amd64";

/** The checksums of both archives of a release, as Nomad and ansible want them. */
export interface RolloutArchives {
  readonly slim: string;
  readonly tools: string;
}

/**
 * Writes both archives of each version into a directory, with the names of a release. Each has one executable and its links.
 * All versions have the same tools, because it takes long to pack the Node flavor.
 */
export async function writeArchives(
  directory: string,
  executables: Readonly<Record<string, string>>,
): Promise<Readonly<Record<string, RolloutArchives>>> {
  const name = (prefix: string, version: string) =>
    path.join(directory, `${prefix}-linux-${architecture}-v${version}.tgz`);
  const packed = path.join(directory, "tools.tgz");
  const tools = await pack(path.join(built("bin"), "cni-wrappers"), packed);
  const archives: Record<string, RolloutArchives> = {};
  for (const [version, executable] of Object.entries(executables)) {
    linkSync(packed, name("cni-wrappers-tools", version));
    archives[version] = { slim: await pack(executable, name("cni-wrappers", version)), tools };
  }
  return archives;
}

async function pack(executable: string, archive: string): Promise<string> {
  using content = mkdtempDisposableSync(path.join(tmpdir(), "cni-wrappers-content-"));
  copyFileSync(executable, path.join(content.path, "cni-wrappers"));
  cpSync(built("bin"), content.path, { recursive: true, filter: isLink, verbatimSymlinks: true });
  // As in a release, there is no entry for the directory itself.
  const entries = readdirSync(content.path).map((name) => `./${name}`);
  const compress = "--use-compress-program=gzip -1";
  await execa("tar", ["--create", compress, "--file", archive, "--directory", content.path, ...entries]);
  const { stdout } = await execa("sha256sum", [archive]);
  return `sha256:${stdout.slice(0, 64)}`;
}

function isLink(file: string): boolean {
  return lstatSync(file).isDirectory() || lstatSync(file).isSymbolicLink();
}
