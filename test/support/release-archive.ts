import { copyFileSync, cpSync, globSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { archiveName, type Flavor } from "../../build/release/artifacts.ts";
import { pack, writeChecksums } from "../../build/release/pack.ts";
import { version } from "./version.ts";

const root = join(import.meta.dirname, "../..");
const architecture = process.arch === "arm64" ? "arm64" : "amd64";

/**
 * Returns an archive as a release has it, for this host and the tested flavor, with its checksums next to it: that in the
 * directory CNI_WRAPPERS_RELEASE; without the variable, one of the built executables.
 */
export function releaseArchive() {
  const flavor: Flavor = process.env.CNI_WRAPPERS_FLAVOR === "slim" ? "slim" : "node";
  const name = archiveName({ flavor, architecture }, version);
  const directory = mkdtempSync(join(tmpdir(), "cni-wrappers-archive-"));
  const { CNI_WRAPPERS_RELEASE: released } = process.env;
  if (released === undefined) packBuilt(directory, name);
  else
    for (const file of globSync(`${name}*`, { cwd: released }))
      copyFileSync(join(released, file), join(directory, file));
  return { directory, name, [Symbol.dispose]: () => rmSync(directory, { recursive: true, force: true }) };
}

function packBuilt(directory: string, name: string): void {
  const content = join(directory, "content");
  cpSync(process.env.CNI_WRAPPERS_BIN ?? "", content, { recursive: true, verbatimSymlinks: true });
  for (const file of ["LICENSE", "README.md"]) copyFileSync(join(root, file), join(content, file));
  pack(content, join(directory, name), 1_700_000_000, 1);
  writeChecksums(join(directory, name));
  rmSync(content, { recursive: true });
}
