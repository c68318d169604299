import { createHash } from "node:crypto";
import { closeSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { outputOf } from "../publish.ts";

/**
 * Packs everything in a directory into `archive`. The same files give the same bytes: the entries are sorted, belong to root
 * and have the time `epoch`, in seconds. gzip's header has neither name nor time. Its level 1 takes a tenth of the time, for tests.
 */
export function pack(directory: string, archive: string, epoch: number, level: 1 | 9 = 9): void {
  const tar = archive.replace(/\.tgz$/, ".tar");
  packTar(directory, tar, epoch);
  const output = openSync(archive, "w");
  try {
    // Node's zlib takes other shortcuts on other processors, and its output differs.
    run("gzip", ["--no-name", `-${level}`, "--stdout", tar], output);
  } finally {
    closeSync(output);
    rmSync(tar);
  }
}

/** The same without gzip. */
export function packTar(directory: string, tar: string, epoch: number): void {
  // There is no entry for the directory itself: it would change the mode of the directory that the archive is unpacked into.
  const entries = readdirSync(directory, { encoding: "utf8", recursive: true }).sort();
  const owner = ["--owner=root:0", "--group=root:0", "--mode=u=rwX,go=rX"];
  const options = ["--create", "--format=ustar", "--no-recursion", `--mtime=@${epoch}`, ...owner];
  run("tar", [...options, `--file=${tar}`, `--directory=${directory}`, ...entries.map((name) => `./${name}`)]);
}

/** Writes the checksums next to an archive, as the reference plugins do. */
export function writeChecksums(archive: string): void {
  for (const algorithm of ["sha256", "sha512"]) {
    writeFileSync(`${archive}.${algorithm}`, `${checksum(archive, algorithm)}  ${basename(archive)}\n`);
  }
}

/** Returns a file's checksum in hexadecimal digits. */
export function checksum(file: string, algorithm: string): string {
  return createHash(algorithm).update(readFileSync(file)).digest("hex");
}

function run(command: string, args: readonly string[], output: number | "pipe" = "pipe"): void {
  outputOf(command, args, { env: { PATH: process.env.PATH, LC_ALL: "C" }, stdio: ["ignore", output, "pipe"] });
}
