import { type SpawnSyncOptions, type SpawnSyncReturns, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync, symlinkSync } from "node:fs";
import { homedir } from "node:os";
import { join, relative } from "node:path";
import { profiles } from "../plugins/index.ts";
import type { Stamp } from "./stamp.ts";

/** The directory of the repository. */
export const root = join(import.meta.dirname, "..");

/** The directory for what all clones share. */
export const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "cni-wrappers");

/** The name of the executable. The plugins' links point to it. */
export const executable = "cni-wrappers";

/** The names of the links, one for each plugin. */
export const links = Object.keys(profiles).map((plugin) => `${plugin}-wrapper`);

/** Makes a directory inside `dist` for the new build: a rename needs the same file system. It is removed after the build. */
export function makeStage(dist: string): string {
  mkdirSync(dist, { recursive: true });
  const stage = mkdtempSync(join(dist, ".build-"));
  process.on("exit", () => rmSync(stage, { recursive: true, force: true }));
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, () => process.exit(1));
  mkdirSync(join(stage, "bin"));
  return stage;
}

/**
 * Adds a relative link for each plugin to the stage's `bin`, so that the folder can be copied to a host's CNI path. Then
 * renames its files over those of the earlier build one by one: no name is ever missing.
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

/** Prints the folder and the size of the build, and how long it took since `started`. */
export function report(dist: string, { version, commit }: Stamp, started: number): void {
  const bin = join(dist, "bin");
  const megabytes = (statSync(join(bin, executable)).size / 1e6).toFixed(1);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(`${relative(root, bin)}: ${executable} ${version}, ${commit}, ${megabytes} MB, ${seconds} s`);
  console.log(`${relative(root, bin)}: ${links.join(", ")} -> ${executable}`);
}

/** Runs a build. If it fails, prints one line and sets exit code 1. */
export async function runBuild(build: () => Promise<void>): Promise<void> {
  try {
    await build();
  } catch (error) {
    console.error(`build: ${error instanceof Error ? error.message : error}`);
    process.exitCode = 1;
  }
}

/** Runs a program and returns its output. If it fails, it throws an error that begins with `failure`. */
export function outputOf(
  command: string,
  args: readonly string[],
  options: SpawnSyncOptions = {},
  failure = `${command} failed`,
): string {
  const ended = spawnSync(command, args, { maxBuffer: 1e8, ...options, encoding: "utf8" });
  // guard: an archive without a bill of materials, and a build that failed
  if (ended.status !== 0) throw new Error(`${failure}: ${firstError(ended)}`);
  return ended.stdout;
}

/** Says why a program failed: the first line of its output that begins like an error, or the first line if none does. */
export function firstError({ error, signal, stderr, stdout }: SpawnSyncReturns<string>): string {
  if (error) return error.message;
  const lines = `${stderr}\n${stdout}`.split("\n").map((line) => line.trim());
  const line = lines.find((candidate) => /^(error|\w*Error:)/.test(candidate)) ?? lines.find(Boolean);
  return line ?? (signal ? `ended by ${signal}` : "it printed no reason");
}
