import type { SpawnSyncReturns } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync, symlinkSync } from "node:fs";
import { join, relative } from "node:path";
import { profiles } from "../plugins/index.ts";
import type { Stamp } from "./stamp.ts";

export const root = join(import.meta.dirname, "..");

/** The name of the executable; the plugins' links lead to it. */
export const executable = "cni-wrappers";

const links = Object.keys(profiles).map((plugin) => `${plugin}-wrapper`);

/** Makes a directory beside what will be replaced (a rename needs the same file system), gone when the build ends. */
export function makeStage(dist: string): string {
  mkdirSync(dist, { recursive: true });
  const stage = mkdtempSync(join(dist, ".build-"));
  process.on("exit", () => rmSync(stage, { recursive: true, force: true }));
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, () => process.exit(1));
  mkdirSync(join(stage, "bin"));
  return stage;
}

/**
 * Completes the executable in the stage's `bin` to a folder that goes to a host's CNI path as it is, with a relative link per
 * plugin, and renames all of it over the earlier build, file by file: at no moment is there none.
 */
export function publish(stage: string, dist: string): void {
  const bin = join(dist, "bin");
  const names = [executable, ...links];
  for (const link of links) symlinkSync(executable, join(stage, "bin", link));
  mkdirSync(bin, { recursive: true });
  for (const name of names) renameSync(join(stage, "bin", name), join(bin, name));
  for (const name of readdirSync(bin)) {
    if (!names.includes(name)) rmSync(join(bin, name), { recursive: true });
  }
}

/** Says what was built, where, and how long it took since `started`. */
export function report(dist: string, { version, commit }: Stamp, started: number): void {
  const bin = join(dist, "bin");
  const megabytes = (statSync(join(bin, executable)).size / 1e6).toFixed(1);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(`${relative(root, bin)}: ${executable} ${version}, ${commit}, ${megabytes} MB, ${seconds} s`);
  console.log(`${relative(root, bin)}: ${links.join(", ")} -> ${executable}`);
}

/** Runs a build; what goes wrong is one line, and the exit code 1. */
export async function runBuild(build: () => Promise<void>): Promise<void> {
  try {
    await build();
  } catch (error) {
    console.error(`build: ${error instanceof Error ? error.message : error}`);
    process.exitCode = 1;
  }
}

/** Why a program failed, in one line: the first that it prints which begins like an error, else the first at all. */
export function firstError({ error, signal, stderr, stdout }: SpawnSyncReturns<string>): string {
  if (error) return error.message;
  const lines = `${stderr}\n${stdout}`.split("\n").map((line) => line.trim());
  const line = lines.find((candidate) => /^(error|\w*Error:)/.test(candidate)) ?? lines.find(Boolean);
  return line ?? (signal ? `ended by ${signal}` : "it printed no reason");
}
