import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
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

/** Copies the repository with its history and with the packages of this one, but without a build. */
export function copyOfTree(): string {
  const copy = scratch();
  const left = [join(root, "node_modules"), join(root, "dist")];
  cpSync(root, copy, { recursive: true, filter: (source) => !left.includes(source) });
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  return copy;
}

/** Writes a tiny executable: a shell script that finds the usual tools with any PATH. */
export function writeScript(path: string, body: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `#!/bin/sh\nPATH=/usr/bin:/bin\n${body}\n`);
  chmodSync(path, 0o755);
}
