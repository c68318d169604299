// Usage: npm run release [-- --arch amd64,arm64 --flavor slim,node --output DIRECTORY --dirty]
//
// Builds the archives of a release into dist/release.
import { spawnSync } from "node:child_process";
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, renameSync, rmSync, statSync } from "node:fs";
import { delimiter, join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { firstError, root, runBuild } from "../publish.ts";
import { readStamp, type Stamp } from "../stamp.ts";
import { type Artifact, architectures, archiveName, chooseArtifacts } from "./artifacts.ts";
import { checksum, pack, writeChecksums } from "./pack.ts";
import { installZig } from "./zig.ts";

const { values: options } = parseArgs({
  options: {
    arch: { type: "string" },
    flavor: { type: "string" },
    output: { type: "string" },
    dirty: { type: "boolean" },
  },
});

async function release(): Promise<void> {
  const artifacts = chooseArtifacts(options.flavor, options.arch);
  const stamp = readStamp(root);
  const epoch = epochOf(stamp);
  const output = resolve(root, options.output ?? "dist/release");
  mkdirSync(output, { recursive: true });
  for (const artifact of artifacts) {
    const archive = makeArchive(artifact, stamp, epoch, output);
    const megabytes = (statSync(archive).size / 1e6).toFixed(1);
    console.log(`${relative(root, archive)}: ${megabytes} MB, sha256 ${checksum(archive, "sha256")}`);
  }
}

/** Returns the time of all files: SOURCE_DATE_EPOCH, or the commit's. */
function epochOf({ commit }: Stamp): number {
  if (!/^[0-9a-f]+$/.test(commit) && !options.dirty) {
    throw new Error(
      `this is no commit (${commit}), so nobody can verify its archives: commit first, or try with --dirty`,
    );
  }
  const { stdout } = spawnSync("git", ["-C", root, "log", "-1", "--format=%ct"], { encoding: "utf8" });
  const epoch = Number(process.env.SOURCE_DATE_EPOCH || stdout || Number.NaN);
  if (!Number.isSafeInteger(epoch)) throw new Error("set SOURCE_DATE_EPOCH: there is no commit to take the time from");
  return epoch;
}

/** Makes an archive and the files next to it. Returns its path. */
function makeArchive(artifact: Artifact, { version }: Stamp, epoch: number, output: string): string {
  const name = archiveName(artifact, version);
  const stage = mkdtempSync(join(output, ".release-"));
  try {
    const content = join(stage, "content");
    cpSync(build(artifact), content, { recursive: true, verbatimSymlinks: true });
    for (const file of ["LICENSE", "README.md"]) copyFileSync(join(root, file), join(content, file));
    pack(content, join(stage, name), epoch);
    writeChecksums(join(stage, name));
    for (const ending of ["", ".sha256", ".sha512"]) {
      renameSync(join(stage, `${name}${ending}`), join(output, `${name}${ending}`));
    }
  } finally {
    rmSync(stage, { recursive: true, force: true });
  }
  return join(output, name);
}

/** Builds the executable. Returns the directory with it and its links. */
function build({ flavor, architecture }: Artifact): string {
  const { target, node } = architectures[architecture];
  if (flavor === "node") return run("build/build.ts", ["--arch", node], `dist/${node}/bin`);
  return run("build/slim/build.ts", ["--target", target], `dist/slim/${target}/bin`, installZig());
}

function run(script: string, args: readonly string[], result: string, tools = ""): string {
  const env = { ...process.env, PATH: [tools, process.env.PATH].filter(Boolean).join(delimiter) };
  const ended = spawnSync(process.execPath, [join(root, script), ...args], { cwd: root, encoding: "utf8", env });
  if (ended.status !== 0) throw new Error(firstError(ended).replace(/^build: /, ""));
  return join(root, result);
}

await runBuild(release);
