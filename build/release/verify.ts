// Usage: npm run release:verify -- ARCHIVE...
//
// Builds each archive again from the commit that it names, in a new clone with empty caches, and compares the bytes.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, delimiter, join, resolve } from "node:path";
import { firstError, root, runBuild } from "../publish.ts";
import { bill } from "./archive.ts";
import { type Artifact, parseArchiveName } from "./artifacts.ts";
import { differences } from "./compare.ts";
import { checksum } from "./pack.ts";

async function verify(): Promise<void> {
  const archives = process.argv.slice(2).map((file) => resolve(file));
  if (archives.length === 0) throw new Error("name the archives: npm run release:verify -- dist/release/*.tgz");
  for (const archive of archives) {
    const found = verifyArchive(archive);
    for (const difference of found) console.log(`${basename(archive)}: ${difference}`);
    if (found.length > 0) process.exitCode = 1;
    else console.log(`${basename(archive)}: the sources give the same bytes, sha256 ${checksum(archive, "sha256")}`);
  }
}

function verifyArchive(archive: string): string[] {
  const artifact = parseArchiveName(basename(archive));
  if (artifact === undefined) throw new Error(`${archive} has not the name of an archive of a release`);
  const { commit, epoch, rust } = described(archive);
  const stage = mkdtempSync(join(tmpdir(), "cni-wrappers-verify-"));
  try {
    const found = differences(archive, buildAgain(artifact, basename(archive), { commit, epoch }, stage));
    const here = /^release: (.*)$/m.exec(run("rustc", ["-vV"], root))?.[1];
    const otherRust = `it was built with Rust ${rust}, and this host has ${here}`;
    return found.length > 0 && rust !== undefined && rust !== here ? [...found, otherRust] : found;
  } finally {
    rmSync(stage, { recursive: true, force: true });
  }
}

/** Reads the commit, the time and the version of Rust in the archive's bill of materials. */
function described(archive: string): { commit: string; epoch: string; rust: string | undefined } {
  const { metadata, components } = JSON.parse(run("tar", ["-xzOf", archive, `./${bill}`], root)) as {
    metadata: { timestamp: string; component: { properties: { name: string; value: string }[] } };
    components: { name: string; version: string }[];
  };
  const commit = metadata.component.properties.find(({ name }) => name === "cni-wrappers:commit")?.value ?? "";
  if (!/^[0-9a-f]{40}$/.test(commit)) throw new Error(`${archive} was built from changed sources (${commit})`);
  const rust = components.find(({ name }) => name === "rust-std")?.version;
  return { commit, epoch: String(Date.parse(metadata.timestamp) / 1000), rust };
}

/** Builds an archive in a clone of the commit, without any cache of this host. Returns its path. */
function buildAgain(
  { flavor, architecture }: Artifact,
  name: string,
  { commit, epoch }: { commit: string; epoch: string },
  stage: string,
): string {
  const clone = join(stage, "clone");
  run("git", ["clone", "--quiet", "--no-checkout", root, clone], stage);
  run("git", ["checkout", "--quiet", commit], clone);
  const caches = { XDG_CACHE_HOME: "cache", CARGO_HOME: "cargo", npm_config_cache: "npm" };
  const places = Object.entries(caches).map(([variable, directory]) => [variable, join(stage, directory)]);
  for (const [, directory = ""] of places) mkdirSync(directory, { recursive: true });
  const env = { ...process.env, ...Object.fromEntries(places), SOURCE_DATE_EPOCH: epoch };
  // npm put this clone's programs first in PATH. The other clone has its own.
  const path = (process.env.PATH ?? "").split(delimiter).filter((place) => !place.includes("node_modules"));
  const command = ["run", "--silent", "release", "--", "--flavor", flavor, "--arch", architecture];
  run("npm", command, clone, { ...env, PATH: path.join(delimiter) });
  return join(clone, "dist/release", name);
}

function run(command: string, args: readonly string[], cwd: string, env = process.env): string {
  const ended = spawnSync(command, args, { cwd, encoding: "utf8", env, maxBuffer: 1e8 });
  if (ended.status !== 0) throw new Error(`${command} failed: ${firstError(ended)}`);
  return ended.stdout;
}

await runBuild(verify);
