import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";

/** The root of the repository. */
export const root = join(import.meta.dirname, "../../..");

/** What the build made; a test that needs it says so when it is not there. */
export function built(name: string): string {
  const path = join(root, "dist", name);
  if (!existsSync(path)) throw new Error(`dist/${name} is missing: npm run build`);
  return path;
}

/** An empty directory that is gone after the test. */
export function scratch(): string {
  const directory = mkdtempSync(join(tmpdir(), "cni-wrappers-build-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** A copy of the repository, its history included, with the packages of this one and without what was built. */
export function copyOfTree(): string {
  const copy = scratch();
  const left = [join(root, "node_modules"), join(root, "dist")];
  cpSync(root, copy, { recursive: true, filter: (source) => !left.includes(source) });
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  return copy;
}

/** Writes a tiny executable: a shell script that finds the usual tools whatever PATH it is started with. */
export function writeScript(path: string, body: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `#!/bin/sh\nPATH=/usr/bin:/bin\n${body}\n`);
  chmodSync(path, 0o755);
}
