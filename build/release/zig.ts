import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cache, firstError } from "../publish.ts";

const requirements = join(import.meta.dirname, "zig-requirements.txt");

const checksum = createHash("sha256").update(readFileSync(requirements)).digest("hex").slice(0, 12);
const directory = join(cache, `zig-${checksum}`);
const done = join(directory, "installed");

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
  expectSuccess("python3", "-m", "venv", directory);
  const options = ["--quiet", "--disable-pip-version-check", "--require-hashes", "--no-deps", "--only-binary", ":all:"];
  expectSuccess(join(directory, "bin/pip"), "install", ...options, "--requirement", requirements);
  writeFileSync(done, "");
  return join(directory, "bin");
}

function expectSuccess(command: string, ...args: string[]): void {
  const ended = spawnSync(command, args, { encoding: "utf8" });
  if (ended.status !== 0) throw new Error(`zig cannot be installed: ${firstError(ended)}`);
}
