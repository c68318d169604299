import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Architecture } from "../release/artifacts.ts";
import { pack, writeChecksums } from "../release/pack.ts";
import type { ImageSource } from "./oci.ts";

/** The names of systemd for `ARCHITECTURE=` (os-release(5)). */
const names: Readonly<Record<Architecture, string>> = { amd64: "x86-64", arm64: "arm64" };

/** The extension's name. systemd wants it in the name of its release file. */
const extension = "cni-wrappers";

/**
 * Makes an archive with a system extension (systemd-sysext(8)): a directory for /var/lib/extensions. The wrappers are in
 * /usr/libexec/cni, because a merged extension makes its part of the file system read-only, and /opt/cni has the lists.
 * Returns the archive's path.
 */
export function makeSystemExtension(source: ImageSource, output: string, work: string): string {
  const { architecture, archive, version, epoch } = source;
  const tree = join(work, "extension");
  const usr = join(tree, extension, "usr");
  const [bin, release, doc] = ["libexec/cni", "lib/extension-release.d", `share/doc/${extension}`].map((path) =>
    join(usr, path),
  ) as [string, string, string];
  for (const directory of [release, doc]) mkdirSync(directory, { recursive: true });
  const texts = ["LICENSE", "NOTICE", "README.md", "cni-wrappers.cdx.json"];
  const isText = (path: string) => texts.some((text) => path === join(archive, text));
  cpSync(archive, bin, { recursive: true, verbatimSymlinks: true, filter: (path) => !isText(path) });
  cpSync(archive, doc, { recursive: true, filter: (path) => path === archive || isText(path) });
  writeFileSync(join(release, `extension-release.${extension}`), `ID=_any\nARCHITECTURE=${names[architecture]}\n`);
  const file = join(output, `cni-wrappers-sysext-linux-${architecture}-v${version}.tgz`);
  pack(tree, file, epoch);
  writeChecksums(file);
  return file;
}
