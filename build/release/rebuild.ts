import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, delimiter, join } from "node:path";
import { outputOf, root } from "../publish.ts";
import { bill } from "./archive.ts";
import { type Artifact, parseArchiveName } from "./artifacts.ts";
import { differences } from "./compare.ts";

/**
 * Builds an archive again from the commit of the repository `sources` that it names. Says what differs; empty if every byte
 * is the same. Throws if the archive does not say what it was built from.
 */
export function verifyArchive(archive: string, sources = root): string[] {
  const artifact = parseArchiveName(basename(archive));
  // guard: a file that no release has the name of
  if (artifact === undefined) throw new Error(`${archive} has not the name of an archive of a release`);
  const { commit, epoch, rust } = described(archive);
  const stage = mkdtempSync(join(tmpdir(), "cni-wrappers-verify-"));
  try {
    const found = differences(archive, buildAgain(artifact, basename(archive), { commit, epoch, sources }, stage));
    const here = /^release: (.*)$/m.exec(outputOf("rustc", ["-vV"], { cwd: stage }))?.[1];
    const otherRust = `it was built with Rust ${rust}, and this host has ${here}`;
    return found.length > 0 && rust !== undefined && rust !== here ? [...found, otherRust] : found;
  } finally {
    rmSync(stage, { recursive: true, force: true });
  }
}

/** Reads the commit, the time and the version of Rust in the archive's bill of materials. */
function described(archive: string): { commit: string; epoch: string; rust: string | undefined } {
  const { metadata, components } = JSON.parse(outputOf("tar", ["-xzOf", archive, `./${bill}`], { cwd: root })) as {
    metadata: { timestamp: string; component: { properties: { name: string; value: string }[] } };
    components: { name: string; version: string }[];
  };
  const commit = metadata.component.properties.find(({ name }) => name === "cni-wrappers:commit")?.value ?? "";
  // guard: an archive that no commit gives
  if (!/^[0-9a-f]{40}$/.test(commit)) throw new Error(`${archive} was built from changed sources (${commit})`);
  const rust = components.find(({ name }) => name === "rust-std")?.version;
  return { commit, epoch: String(Date.parse(metadata.timestamp) / 1000), rust };
}

/** Builds an archive in a clone of the commit, without any cache of this host. Returns its path. */
function buildAgain(
  { flavor, architecture }: Artifact,
  name: string,
  { commit, epoch, sources }: { commit: string; epoch: string; sources: string },
  stage: string,
): string {
  const clone = join(stage, "clone");
  outputOf("git", ["clone", "--quiet", "--no-checkout", sources, clone], { cwd: stage });
  // A clone can have commits that somebody else proposes, and the build runs what the commit says.
  const own = outputOf("git", ["rev-list", "HEAD", "--tags"], { cwd: clone }).split("\n");
  // guard: no build of a commit that is not the project's
  if (!own.includes(commit)) throw new Error(`${name} names the commit ${commit}, which HEAD and the tags do not have`);
  outputOf("git", ["checkout", "--quiet", commit], { cwd: clone });
  const caches = { XDG_CACHE_HOME: "cache", CARGO_HOME: "cargo", npm_config_cache: "npm" };
  const places = Object.entries(caches).map(([variable, directory]) => [variable, join(stage, directory)]);
  for (const [, directory = ""] of places) mkdirSync(directory, { recursive: true });
  const env = { ...process.env, ...Object.fromEntries(places), SOURCE_DATE_EPOCH: epoch };
  // npm put this clone's programs first in PATH. The other clone has its own.
  const path = (process.env.PATH ?? "").split(delimiter).filter((place) => !place.includes("node_modules"));
  const command = ["run", "--silent", "release", "--", "--flavor", flavor, "--arch", architecture];
  outputOf("npm", command, { cwd: clone, env: { ...env, PATH: path.join(delimiter) } });
  return join(clone, "dist/release", name);
}
