import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { glob, mkdir, readFile, rename, rm } from "node:fs/promises";
import path from "node:path";
import process from "node:process";
import { execa } from "execa";
import { cacheDirectory } from "./cache.ts";
import { hold } from "./holder.ts";

/** The versions of the reference plugins that can be built: the folders in `test/support/plugins/`. */
export type PluginVersion = "1.9.1" | "1.6.2" | "1.3.0" | "1.2.0";

/** The versions for every end-to-end case. Older ones are for single cases and the matrix. */
export const pluginVersions = ["1.9.1", "1.6.2"] as const satisfies PluginVersion[];

interface Build {
  readonly title: string;
  /** The folder of the go.mod. */
  readonly module: string;
  readonly packages: readonly string[];
  readonly ldflags: string;
  readonly cgo?: true;
}

interface Toolchain {
  readonly version: string;
  readonly target: string;
}

const testDirectory = path.resolve(import.meta.dirname, "..");

/** Returns the directory with the reference plugins of this version. Go builds them if they are missing. */
export async function referencePlugins(version: PluginVersion): Promise<string> {
  const module = path.join(testDirectory, "support", "plugins", version);
  return built({
    title: `reference plugins ${version}`,
    module,
    // Not every version has every plugin. The module pins the plugins that exist.
    packages: importsOf(await readFile(path.join(module, "tools.go"), "utf8")),
    // Without it they report no version, and Nomad runs no CHECK without a version.
    ldflags: `-X github.com/containernetworking/plugins/pkg/utils/buildversion.BuildVersion=v${version}`,
  });
}

function importsOf(source: string): string[] {
  return [...source.matchAll(/^\t_ "(.*)"$/gm)].map(([, name = ""]) => name);
}

/** Returns the directory of the programs that call plugins as runtimes do, or replace a program in a test. */
export function drivers(): Promise<string> {
  return built({
    title: "test drivers",
    module: path.join(testDirectory, "support", "drivers"),
    packages: [
      "./consul-cni",
      "./echo",
      "./forward",
      "./gocni",
      "./recorder",
      "github.com/containernetworking/cni/cnitool",
    ],
    ldflags: "",
  });
}

const nomadBuild: Build = {
  title: "Nomad (about five minutes)",
  module: path.join(testDirectory, "nomad", "agent"),
  packages: ["github.com/hashicorp/nomad"],
  ldflags: "-s -w",
  cgo: true,
};

/** Returns the Nomad of NOMAD_BIN, or the one of `test/nomad/agent`. Go builds it if it is missing. */
export async function nomad(): Promise<string> {
  if (process.env.NOMAD_BIN) await expectVersion(process.env.NOMAD_BIN);
  return process.env.NOMAD_BIN || path.join(await built(nomadBuild), "nomad");
}

// From this version on, Nomad runs CHECK when a client restarts.
const oldestNomad = [1, 9, 6] as const;

async function expectVersion(binary: string): Promise<void> {
  const { stdout } = await execa(binary, ["version"]);
  const parts = /^Nomad v(\d+)\.(\d+)\.(\d+)/.exec(stdout)?.slice(1).map(Number);
  const distance = parts && oldestNomad.map((part, i) => (parts[i] ?? 0) - part).find((part) => part !== 0);
  if (!parts || (distance ?? 0) < 0) throw new Error(`NOMAD_BIN is ${stdout.split("\n")[0]}: 1.9.6 or newer is needed`);
}

/** Whether the tests' Nomad is already built. */
export async function isNomadBuilt(): Promise<boolean> {
  if (process.env.NOMAD_BIN) return true;
  // Its go.mod may ask for a newer toolchain. Do not download one only to look.
  const installed = await execa("go", ["env", "GOVERSION"], {
    cwd: nomadBuild.module,
    reject: false,
    env: { GOTOOLCHAIN: "local" },
  });
  return installed.exitCode === 0 && existsSync(await directoryOf(nomadBuild, await readToolchain(nomadBuild.module)));
}

/** Returns the paths of the programs that the benchmark measures with. Each source describes its program. */
export async function benchPrograms(): Promise<Record<"stopwatch" | "footprint" | "recorder", string>> {
  const directory = await built({
    title: "programs of the benchmark",
    module: path.join(testDirectory, "support", "drivers"),
    packages: ["./stopwatch", "./footprint", "./recorder"],
    ldflags: "-s -w",
  });
  return {
    stopwatch: path.join(directory, "stopwatch"),
    footprint: path.join(directory, "footprint"),
    recorder: path.join(directory, "recorder"),
  };
}

/** Returns multus, which passes a list's calls to its own delegates. */
export async function multus(): Promise<string> {
  const directory = await built({
    title: "multus (about two minutes)",
    module: path.join(testDirectory, "reports", "compare", "multus"),
    packages: ["gopkg.in/k8snetworkplumbingwg/multus-cni.v4/cmd/multus"],
    ldflags: "-s -w",
  });
  return path.join(directory, "multus");
}

/** Builds everything that the end-to-end tests need, one by one: Go already uses every core. */
export async function buildAll(): Promise<void> {
  await drivers();
  for (const version of pluginVersions) {
    await referencePlugins(version);
  }
}

const finished = new Map<string, Promise<string>>();

function built(build: Build): Promise<string> {
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
  return path.join(cacheDirectory(), "go", `${path.basename(build.module)}-${await fingerprint(build, toolchain)}`);
}

async function goBuild(build: Build, toolchain: Toolchain, directory: string): Promise<void> {
  process.stderr.write(`building ${build.title} with ${toolchain.version}\n`);
  const temporary = `${directory}.tmp`;
  await rm(temporary, { recursive: true, force: true });
  await execa("go", ["build", "-trimpath", "-ldflags", build.ldflags, "-o", `${temporary}/`, ...build.packages], {
    cwd: build.module,
    env: { CGO_ENABLED: build.cgo ? "1" : "0" },
  });
  await rename(temporary, directory);
}

async function readToolchain(cwd: string): Promise<Toolchain> {
  // Runs inside the module, because a go.mod may ask for another toolchain than the installed one.
  const { stdout } = await execa("go", ["env", "GOVERSION", "GOOS", "GOARCH"], { cwd });
  const [version = "", ...target] = stdout.split("\n");
  return { version, target: target.join("/") };
}

async function fingerprint(build: Build, toolchain: Toolchain): Promise<string> {
  const hash = createHash("sha256").update(JSON.stringify([toolchain, build.packages, build.ldflags]));
  const sources = await Array.fromAsync(glob(["go.mod", "go.sum", "**/*.go"], { cwd: build.module }));
  for (const source of sources.sort()) {
    hash.update(`\0${source}\0`).update(await readFile(path.join(build.module, source)));
  }
  return hash.digest("hex").slice(0, 16);
}

/**
 * `nomad` builds Nomad. `lacks-nomad` prints a line if Nomad is not built. Without an argument, everything else is built.
 */
const commands: Readonly<Record<string, () => Promise<unknown>>> = {
  nomad,
  "lacks-nomad": async () => {
    if (!(await isNomadBuilt())) console.log("Nomad is not built here: npm run test:nomad builds it");
  },
};

if (import.meta.main) {
  await (commands[process.argv[2] ?? ""] ?? buildAll)();
}
