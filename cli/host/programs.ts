import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { delimiter, join } from "node:path";
import process from "node:process";
import { isExecutable } from "../../shared/host/node/executable-file.ts";
import { readFile, stat } from "../../shared/host/node/files.ts";
import { linkText } from "../live/namespaces.ts";

/** Runs a program of the host to its end. `problem` is the last line that it wrote to stderr. */
export function runProgram(name: string, args: readonly string[], input = "") {
  const { status, stdout, stderr, error } = spawnSync(name, args, { encoding: "utf8", input, maxBuffer: 2 ** 30 });
  // One that ended by itself may leave its input unread, which is an error, too (EPIPE).
  const own = status === null ? error?.message : undefined;
  const problem = own ?? `${name}: ${stderr.trim().split("\n").at(-1) || `exit code ${status}`}`;
  return { passed: status === 0, stdout: stdout ?? "", problem };
}

/** Whether the host has a program of this name in these directories. `isReady` judges its file. */
export function hasProgram(name: string, path = process.env.PATH ?? "", isReady = isExecutable): boolean {
  return path.split(delimiter).some((directory) => isReady(join(directory, name)));
}

/** The same, also if it does not run: then it is missed. */
export function isInstalled(name: string): boolean {
  return hasProgram(name, undefined, existsSync);
}

/**
 * Finds the processes of these names, and their directories in /proc. Anybody can give a process a name, so it must belong to
 * `owner`, who must have started it on this host: a setuid program that a user starts through a link of his has the name of the link.
 */
export function processesNamed(names: readonly string[], processes = "/proc", owner = 0) {
  const ids = readdirSync(processes).filter((name) => /^\d+$/.test(name));
  return ids.flatMap((id) => {
    const path = join(processes, id);
    const name = readFile(join(path, "comm"))?.trim() ?? "";
    const isOwn = names.includes(name) && usersOf(path).every((user) => user === owner) && isOnHost(path);
    return isOwn ? { name, pid: Number(id), path } : [];
  });
}

/**
 * Whether the process with this directory in /proc has this process's root directory. Root of a container has another one. It can
 * have the host's files, and take their directory, so a process in another process namespace does not count.
 */
export function isOnHost(path: string): boolean {
  // guard: no process of a container that has the host's files
  if (linkText(join(path, "ns/pid")) !== linkText(join(path, "../self/ns/pid"))) return false;
  const [own, its] = [stat("/"), stat(join(path, "root"))];
  return its?.device === own?.device && its?.inode === own?.inode;
}

/** The real, effective, saved and file system's user of a process, proc_pid_status(5). */
export function usersOf(path: string): readonly number[] {
  const [, users] = /^Uid:\t(.+)$/m.exec(readFile(join(path, "status")) ?? "") ?? [];
  return users?.split("\t").map(Number) ?? [Number.NaN];
}

/** The effective capabilities of a process, a bit each (uapi/linux/capability.h); none if they cannot be read. */
export function capabilitiesOf(path: string): bigint {
  const [, bits = "0"] = /^CapEff:\t(.+)$/m.exec(readFile(join(path, "status")) ?? "") ?? [];
  return BigInt(`0x${bits}`);
}
