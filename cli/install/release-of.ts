import { spawnSync } from "node:child_process";
import { lstatSync } from "node:fs";
import { dirname } from "node:path";
import process from "node:process";
import type { Release } from "../../shared/host/host.ts";
import { canSpawn } from "../../shared/host/node/executable-file.ts";
import { noProgram } from "../host/plugin-folder.ts";
import { reasonOf, Trouble } from "../terminal.ts";
import { executableName } from "./source.ts";

/** What an executable of cni-wrappers says about itself. */
export interface InstalledRelease extends Release {
  readonly flavor: "node" | "slim";
}

/** A slow machine starts the Node flavor in about a second. In milliseconds. */
const timeout = 30_000;

/** Runs an executable as Nomad does. Returns its release; undefined if it is no cni-wrappers. Throws Trouble if it cannot run. */
export function releaseOf(path: string): InstalledRelease | undefined {
  const { problem, release } = asked(path, " (then take the slim flavor)");
  if (problem !== undefined) throw new Trouble(`${path}: ${problem}`);
  return release;
}

/** The release of an executable, or why it has none. */
interface Asked {
  readonly release?: InstalledRelease;
  readonly problem?: string;
}

/** Returns the release of a regular file that may not be ours, or why there is none and what to do about it. */
export function releaseOrProblem(path: string): Asked {
  const isFile = lstatSync(path, { throwIfNoEntry: false })?.isFile();
  const { release, problem = "it does not answer as cni-wrappers does; move it away, and install again" } = isFile
    ? asked(path, "; move it away, and install again")
    : {};
  return release ? { release } : { problem };
}

function asked(path: string, cure: string): Asked {
  if (!canSpawn(path)) return { problem: noProgram + cure };
  const { status, stdout, error } = run(path);
  if (error) return { problem: reasonNotToRun(path, error) };
  const version = /^CNI \S+ plugin v(\S+)$/m.exec(stdout)?.[1];
  const commit = /^Built from commit (\S+)$/m.exec(stdout)?.[1];
  if (status !== 0 || version === undefined || commit === undefined) return {};
  return { release: { version, commit, flavor: run(path, "--version").status === 0 ? "node" : "slim" } };
}

function run(path: string, ...args: string[]) {
  return spawnSync(path, args, {
    argv0: executableName,
    env: { PATH: process.env.PATH },
    timeout,
    killSignal: "SIGKILL",
    encoding: "utf8",
  });
}

function reasonNotToRun(path: string, error: NodeJS.ErrnoException): string {
  if (error.code === "EACCES" && (lstatSync(path).mode & 0o111) === 0)
    return `it is not executable; run: chmod 755 ${path}`;
  if (error.code === "EACCES")
    return `the system runs no program in ${dirname(dirname(path))}: is its file system mounted with noexec?`;
  if (error.code === "ETIMEDOUT") return `it gave no answer within ${timeout / 1000} seconds`;
  return reasonOf(error);
}
