import { cpSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { sha256 } from "../../cli/install/place.ts";
import { executable, outputOf } from "../publish.ts";
import { type Architecture, architectures } from "../release/artifacts.ts";
import { pack, packTar, writeChecksums } from "../release/pack.ts";

/** A part of an image: https://github.com/opencontainers/image-spec/blob/v1.1.0/descriptor.md */
interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
}

const types = "application/vnd.oci.image";

/**
 * Makes a container image without a daemon: an archive with an OCI image layout (image-spec, image-layout.md). Its entry
 * point installs the slim flavor into a directory of the host. The same files give the same bytes. Returns the archive's path.
 */
export function makeImage(source: ImageSource, output: string, work: string): string {
  const { architecture, version, epoch } = source;
  const layout = join(work, "layout");
  const blobs = join(layout, "blobs/sha256");
  mkdirSync(blobs, { recursive: true });
  const layer = writeLayer(source, blobs, work);
  const config = writeBlob(blobs, `${types}.config.v1+json`, configOf(source, layer.contentDigest));
  const manifestType = `${types}.manifest.v1+json`;
  const manifest = { schemaVersion: 2, mediaType: manifestType, config, layers: [layer.descriptor] };
  const annotations = { "org.opencontainers.image.ref.name": `cni-wrappers:${version}` };
  const platform = { architecture, os: "linux" };
  const entry = { ...writeBlob(blobs, manifestType, manifest), platform, annotations };
  writeJson(join(layout, "index.json"), { schemaVersion: 2, mediaType: `${types}.index.v1+json`, manifests: [entry] });
  writeJson(join(layout, "oci-layout"), { imageLayoutVersion: "1.0.0" });
  const file = join(output, `cni-wrappers-image-linux-${architecture}-v${version}.tar`);
  packTar(layout, file, epoch);
  writeChecksums(file);
  return file;
}

/** The image's only layer: the entry point, and the archive's files with the line for the installed checksums. */
function writeLayer({ architecture, archive, version, epoch }: ImageSource, blobs: string, work: string) {
  const tree = join(work, "layer");
  const release = join(tree, "release");
  cpSync(archive, release, { recursive: true, verbatimSymlinks: true });
  const sum = sha256(readFileSync(join(release, executable)));
  writeFileSync(join(release, "checksum"), `${sum}  ${version}\n`);
  compileInstaller(architecture, join(tree, "install"));
  const file = join(work, "layer.tgz");
  pack(tree, file, epoch);
  const bytes = readFileSync(file);
  const digest = sha256(bytes);
  renameSync(file, join(blobs, digest));
  const size = statSync(join(blobs, digest)).size;
  const descriptor: Descriptor = { mediaType: `${types}.layer.v1.tar+gzip`, digest: `sha256:${digest}`, size };
  return { descriptor, contentDigest: `sha256:${sha256(gunzipSync(bytes))}` };
}

function configOf({ architecture, version, commit, epoch }: ImageSource, content: string): object {
  const created = new Date(epoch * 1000).toISOString();
  const label = (name: string) => `org.opencontainers.image.${name}`;
  const labels = {
    [label("title")]: "cni-wrappers",
    [label("version")]: version,
    [label("revision")]: commit,
    [label("licenses")]: "Apache-2.0",
  };
  return {
    ...{ created, architecture, os: "linux" },
    config: { Entrypoint: ["/install"], Labels: labels },
    rootfs: { type: "layers", diff_ids: [content] },
    history: [{ created, created_by: "npm run packages" }],
  };
}

function writeBlob(blobs: string, mediaType: string, value: object): Descriptor {
  const bytes = Buffer.from(JSON.stringify(value));
  const digest = sha256(bytes);
  writeFileSync(join(blobs, digest), bytes);
  return { mediaType, digest: `sha256:${digest}`, size: bytes.length };
}

function writeJson(file: string, value: object): void {
  writeFileSync(file, `${JSON.stringify(value)}\n`);
}

const source = "install.rs";

/** Compiles the image's entry point for an architecture. It needs no linker of the host. */
function compileInstaller(architecture: Architecture, output: string): void {
  const codegen = ["linker=rust-lld", "opt-level=s", "panic=abort", "strip=symbols", "lto=fat"];
  const target = ["--edition", "2024", "--target", architectures[architecture].target];
  const args = [...target, ...codegen.flatMap((option) => ["-C", option]), "-o", output, source];
  outputOf("rustc", args, { cwd: import.meta.dirname }, "the image's entry point needs rustc for musl");
}

/** What an image is made of. */
export interface ImageSource {
  readonly architecture: Architecture;
  /** The directory of an unpacked archive of the slim flavor. */
  readonly archive: string;
  readonly version: string;
  readonly commit: string;
  /** The time of all files, in seconds. */
  readonly epoch: number;
}
