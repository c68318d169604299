import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { glob, mkdir, readFile, rename, rm } from "node:fs/promises";
import path from "node:path";
import { execa } from "execa";
import { hold } from "./holder.ts";
import { cache } from "./publish.ts";

/** A Go module, and what is built of it. */
export interface Build {
  readonly title: string;
  /** The folder of the go.mod. */
  readonly module: string;
  readonly packages: readonly string[];
  readonly ldflags: string;
  readonly cgo?: true;
  /** Tags of the build, separated by commas. */
  readonly tags?: string;
}

interface Toolchain {
  readonly version: string;
  readonly target: string;
}

/** Whether a build is already in the cache. */
export async function isBuilt(build: Build): Promise<boolean> {
  // Its go.mod may ask for a newer toolchain. Do not download one only to look.
  const installed = await execa("go", ["env", "GOVERSION"], {
    cwd: build.module,
    reject: false,
    env: { GOTOOLCHAIN: "local" },
  });
  return installed.exitCode === 0 && existsSync(await directoryOf(build, await readToolchain(build.module)));
}

const finished = new Map<string, Promise<string>>();

/** Returns the directory of a build in the cache. Go builds it if it is missing. */
export function built(build: Build): Promise<string> {
  const directory = finished.get(build.title) ?? findOrBuild(build);
  finished.set(build.title, directory);
  return directory;
}

async function findOrBuild(build: Build): Promise<string> {
  const toolchain = await readToolchain(build.module);
  const directory = await directoryOf(build, toolchain);
  if (!existsSync(directory)) {
    await mkdir(path.dirname(directory), { recursive: true });
    await using _lock = await hold("flock", [`${directory}.lock`, "sh", "-c", "echo locked; cat"]);
    // The last owner of the lock may have built it.
    if (!existsSync(directory)) {
      await goBuild(build, toolchain, directory);
    }
  }
  return directory;
}

async function directoryOf(build: Build, toolchain: Toolchain): Promise<string> {
  return path.join(cache, "go", `${path.basename(build.module)}-${await fingerprint(build, toolchain)}`);
}

async function goBuild(build: Build, toolchain: Toolchain, directory: string): Promise<void> {
  process.stderr.write(`building ${build.title} with ${toolchain.version}\n`);
  const temporary = `${directory}.tmp`;
  await rm(temporary, { recursive: true, force: true });
  const flags = ["-trimpath", "-ldflags", build.ldflags, ...tagFlags(build)];
  await execa("go", ["build", ...flags, "-o", `${temporary}/`, ...build.packages], {
    cwd: build.module,
    env: { CGO_ENABLED: build.cgo ? "1" : "0", ...(await pinned(build.module)) },
  });
  await rename(temporary, directory);
}

function tagFlags({ tags }: Build): readonly string[] {
  return tags === undefined ? [] : ["-tags", tags];
}

async function readToolchain(cwd: string): Promise<Toolchain> {
  // Runs inside the module, because a go.mod may ask for another toolchain than the installed one.
  const { stdout } = await execa("go", ["env", "GOVERSION", "GOOS", "GOARCH"], { cwd, env: await pinned(cwd) });
  const [version = "", ...target] = stdout.split("\n");
  return { version, target: target.join("/") };
}

/** A go.mod with a line `toolchain` is built by exactly that one. For Go itself it is only the oldest that will do. */
async function pinned(module: string): Promise<{ readonly GOTOOLCHAIN?: string }> {
  const [, toolchain] = /^toolchain (\S+)$/m.exec(await readFile(path.join(module, "go.mod"), "utf8")) ?? [];
  return toolchain === undefined ? {} : { GOTOOLCHAIN: toolchain };
}

async function fingerprint(build: Build, toolchain: Toolchain): Promise<string> {
  const hash = createHash("sha256").update(
    JSON.stringify([toolchain, build.packages, build.ldflags, ...tagFlags(build)]),
  );
  const sources = await Array.fromAsync(glob(["go.mod", "go.sum", "**/*.go"], { cwd: build.module }));
  for (const source of sources.sort()) {
    hash.update(`\0${source}\0`).update(await readFile(path.join(build.module, source)));
  }
  return hash.digest("hex").slice(0, 16);
}
