import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { execa, execaSync } from "execa";
import { onTestFinished } from "vitest";

/** The root of the repository. */
export const root = join(import.meta.dirname, "../..");

/** The files of the build. A test that needs them fails with a message if they are missing. */
export function built(name: string): string {
  const path = join(root, "dist", name);
  if (!existsSync(path)) throw new Error(`dist/${name} is missing: npm run build`);
  return path;
}

/** Makes an empty directory, and removes it after the test. */
export function scratch(): string {
  const directory = mkdtempSync(join(tmpdir(), "cni-wrappers-build-"));
  // A busy machine needs long for a tree with its packages.
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }), 120_000);
  return directory;
}

/** Copies the repository, all but these names, with the packages of this one and without a build. */
export function copyOfTree(without: readonly string[] = []): string {
  const copy = scratch();
  const left = ["node_modules", "dist", ...without].map((name) => join(root, name));
  cpSync(root, copy, { recursive: true, verbatimSymlinks: true, filter: (source) => !left.includes(source) });
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  return copy;
}

/** Runs a build in a copy of the repository. It finds the packages in its own tree, as it does in this one. */
export function buildIn(copy: string, build: string, env: Record<string, string> = {}) {
  const script = 'rm -rf node_modules && mkdir node_modules && mount --bind "$0" node_modules && exec "$@"';
  const command = ["--mount", "sh", "-c", script, join(root, "node_modules"), process.execPath];
  return execa("unshare", [...command, ...build.split(" ")], { cwd: copy, env, reject: false });
}

/** The lines that programs have added to the file `calls` of a directory. */
export function calls(directory: string): string[] {
  const file = join(directory, "calls");
  return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
}

/** Runs git in a directory, as somebody who may commit. Returns what it prints. */
export function git(directory: string, ...args: string[]): string {
  const identity = ["-c", "user.name=test", "-c", "user.email=test@example.org", "-c", "commit.gpgsign=false"];
  return execaSync("git", ["-C", directory, ...identity, ...args]).stdout;
}

/** Writes a tiny executable: a shell script that finds the usual tools with any PATH. */
export function writeScript(path: string, body: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `#!/bin/sh\nPATH=/usr/bin:/bin\n${body}\n`);
  chmodSync(path, 0o755);
}
