import { cpSync, existsSync, mkdirSync, rmSync } from "node:fs";
import path from "node:path";
import { execa } from "execa";
import { cache } from "../../../build/publish.ts";
import type { Fault } from "./faults.ts";

/** The parts of a patch: all of it, or only its tests and what they use. */
export type Part = "all" | "tests";

const testFiles = ["*_test.go", "*/*_test.go", "pkg/testutils/*"].map((pattern) => `--include=${pattern}`);

/** The sources of a module in Go's cache; undefined if `download` is false and they are not there. */
export async function moduleSources({ module, version }: Pick<Fault, "module" | "version">, download = true) {
  // What is in the cache was verified when it came.
  const environment = download ? {} : { GOPROXY: "off", GOSUMDB: "off" };
  const options = { cwd: cache, reject: false, env: { GOFLAGS: "-mod=mod", ...environment } };
  mkdirSync(cache, { recursive: true });
  const { stdout, exitCode } = await execa("go", ["mod", "download", "-json", `${module}@${version}`], options);
  const found: { Dir?: string } = exitCode === 0 ? JSON.parse(stdout) : {};
  return found.Dir !== undefined && existsSync(found.Dir) ? found.Dir : undefined;
}

/** Says which modules have a newer release than the one that their patches are against, and of which nobody knows. */
export async function outdated(
  faults: readonly Pick<Fault, "module" | "version">[],
  newestOf: (module: string) => Promise<string | undefined> = newestRelease,
): Promise<{ readonly old: readonly string[]; readonly unknown: readonly string[] }> {
  const versions = Object.entries(Object.fromEntries(faults.map(({ module, version }) => [module, version])));
  const found = await Promise.all(
    versions.map(async ([module, version]) => ({ module, version, newest: await newestOf(module) })),
  );
  return {
    old: found
      .filter(({ version, newest }) => newest !== undefined && newest !== version)
      .map(({ module, version, newest }) => `${module} ${newest} is out: the patches are against ${version}`),
    unknown: found
      .filter(({ newest }) => newest === undefined)
      .map(({ module, version }) => `${module}: the module proxy does not say if there is a release after ${version}`),
  };
}

/** The newest release of a module; undefined if the module proxy does not say. */
async function newestRelease(module: string): Promise<string | undefined> {
  const options = { cwd: cache, reject: false, env: { GOFLAGS: "-mod=mod" } };
  const { stdout, exitCode } = await execa("go", ["list", "-m", "-json", `${module}@latest`], options);
  return exitCode === 0 ? JSON.parse(stdout).Version : undefined;
}

/** The place of a copy of a module's sources. */
export function copyOf({ module }: Pick<Fault, "module">, name: string): string {
  return path.join(cache, "upstream", path.basename(module), name);
}

/** Copies a module's sources below the cache, as a git repository without history. Removes an older copy. */
export async function copySources(fault: Pick<Fault, "module" | "version">, name: string): Promise<string> {
  const original = await moduleSources(fault);
  if (original === undefined) throw new Error(`${fault.module} ${fault.version}: the module proxy does not have it`);
  const copy = copyOf(fault, name);
  rmSync(copy, { recursive: true, force: true });
  cpSync(original, copy, { recursive: true });
  await execa("chmod", ["-R", "u+w", copy]);
  const git = ["-c", "user.name=cni-wrappers", "-c", "user.email=none"];
  await execa("git", ["init", "--quiet"], { cwd: copy });
  await execa("git", ["add", "--all"], { cwd: copy });
  await execa("git", [...git, "commit", "--quiet", "--message", "base"], { cwd: copy });
  return copy;
}

/** Applies patches to a copy, one after the other. Later ones may have moved lines: git merges them. */
export async function applyPatches(copy: string, patches: readonly string[], part: Part = "all"): Promise<void> {
  const included = part === "tests" ? testFiles : [];
  for (const patch of patches) await execa("git", ["apply", "--3way", ...included, patch], { cwd: copy });
}
