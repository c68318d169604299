import type { Flavor } from "../release/artifacts.ts";

/** A file or a link of a package, in the words of nfpm's configuration. */
export interface Content {
  readonly src: string;
  readonly dst: string;
  readonly type?: "symlink" | "config|noreplace";
  readonly packager?: "deb" | "rpm";
  readonly file_info?: { readonly mode: number };
}

/** The directories that the contents of a package come from. */
export interface Sources {
  /** The executable, its links, and the texts of the archive. */
  readonly archive: string;
  /** The files next to this one. */
  readonly files: string;
  /** What is made for the package: completions, the manual page, systemd's units. */
  readonly made: string;
}

const bin = "/opt/cni/bin";

/** Returns the contents of a flavor's package. `links` are the names of the plugins' links. */
export function contentsOf(flavor: Flavor, links: readonly string[], sources: Sources): readonly Content[] {
  return flavor === "slim" ? slimContents(links, sources) : toolsContents(sources);
}

function slimContents(links: readonly string[], { archive, files }: Sources): readonly Content[] {
  return [
    file(`${archive}/cni-wrappers`, `${bin}/cni-wrappers`, 0o755),
    // `cni-wrappers install` leaves a directory alone that has this file.
    file(`${files}/owner`, `${bin}/.cni-wrappers/owner`),
    { ...file(`${files}/logrotate`, "/etc/logrotate.d/cni-wrappers"), type: "config|noreplace" },
    ...links.map((link) => symlink("cni-wrappers", `${bin}/${link}`)),
    // Debian's podman looks only here.
    ...links.map((link) => ({ ...symlink(`${bin}/cni-wrappers`, `/usr/lib/cni/${link}`), packager: "deb" as const })),
    ...texts(archive, "cni-wrappers"),
  ];
}

function toolsContents({ archive, made }: Sources): readonly Content[] {
  return [
    file(`${archive}/cni-wrappers`, "/usr/bin/cni-wrappers", 0o755),
    file(`${made}/bash`, "/usr/share/bash-completion/completions/cni-wrappers"),
    file(`${made}/zsh`, "/usr/share/zsh/site-functions/_cni-wrappers"),
    file(`${made}/fish`, "/usr/share/fish/vendor_completions.d/cni-wrappers.fish"),
    file(`${made}/man.gz`, "/usr/share/man/man1/cni-wrappers.1.gz"),
    file(`${made}/cni-wrappers-prune.service`, "/usr/lib/systemd/system/cni-wrappers-prune.service"),
    file(`${made}/cni-wrappers-prune.timer`, "/usr/lib/systemd/system/cni-wrappers-prune.timer"),
    ...texts(archive, "cni-wrappers-tools"),
  ];
}

function texts(archive: string, name: string): readonly Content[] {
  const doc = `/usr/share/doc/${name}`;
  return [
    file(`${archive}/LICENSE`, `${doc}/copyright`),
    file(`${archive}/NOTICE`, `${doc}/NOTICE`),
    file(`${archive}/README.md`, `${doc}/README.md`),
  ];
}

function file(src: string, dst: string, mode = 0o644): Content {
  return { src, dst, file_info: { mode } };
}

function symlink(src: string, dst: string): Content {
  return { src, dst, type: "symlink" };
}
