import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { cache } from "../../build/publish.ts";

const requirements = path.resolve(import.meta.dirname, "../long/ansible-requirements.txt");

/** Returns the directory with the pinned ansible's programs. pip installs them on the first use. */
export function ansible(): string {
  const checksum = createHash("sha256").update(readFileSync(requirements)).digest("hex").slice(0, 12);
  const directory = path.join(cache, `ansible-${checksum}`);
  const bin = path.join(directory, "bin");
  const done = path.join(directory, "installed");
  if (existsSync(done)) return bin;
  rmSync(directory, { recursive: true, force: true });
  // The programs contain the directory's path, so it cannot be renamed when it is complete.
  expectSuccess("python3", "-m", "venv", directory);
  const options = ["--quiet", "--disable-pip-version-check", "--no-deps", "--only-binary", ":all:"];
  expectSuccess(path.join(bin, "pip"), "install", ...options, "--requirement", requirements);
  writeFileSync(done, "");
  return bin;
}

function expectSuccess(command: string, ...args: string[]): void {
  const { status, stderr, error } = spawnSync(command, args, { encoding: "utf8" });
  if (status === 0) return;
  const [line] = (error?.message ?? stderr).trim().split("\n").slice(-1);
  throw new Error(`ansible-core cannot be installed with pip: ${line}`);
}
