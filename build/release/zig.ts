import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cache, outputOf } from "../publish.ts";

const requirements = join(import.meta.dirname, "zig-requirements.txt");

const checksum = createHash("sha256").update(readFileSync(requirements)).digest("hex").slice(0, 12);
const directory = join(cache, `zig-${checksum}`);
const done = join(directory, "installed");
const failure = "zig cannot be installed";

/** Says in one line why zig cannot be installed; undefined if it is there, or if pip can install it. */
export function zigProblem(): string | undefined {
  const canInstall = () => spawnSync("python3", ["-c", "import venv, ensurepip"]).status === 0;
  return existsSync(done) || canInstall() ? undefined : "pip installs zig: apt-get install python3-venv";
}

/** Returns the directory with the pinned zig and cargo-zigbuild. Installs them on the first use. */
export function installZig(): string {
  if (existsSync(done)) return join(directory, "bin");
  console.error("release: installing zig (pip)");
  rmSync(directory, { recursive: true, force: true });
  // The programs contain the directory's path, so it cannot be renamed when it is complete.
  outputOf("python3", ["-m", "venv", directory], {}, failure);
  const options = ["--quiet", "--disable-pip-version-check", "--require-hashes", "--no-deps", "--only-binary", ":all:"];
  outputOf(join(directory, "bin/pip"), ["install", ...options, "--requirement", requirements], {}, failure);
  writeFileSync(done, "");
  return join(directory, "bin");
}
