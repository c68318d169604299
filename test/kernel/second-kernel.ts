import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { nativeProgram } from "../support/native.ts";
import { everyNth } from "./cases.ts";

/** The end of a command in the second kernel. */
export interface Ended {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The place of the boot's folder in the second kernel. Only this folder outlives the boot. */
export const sharedFolder = "/mnt";

// Only then do kernels and their folders go when a signal ends this process.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));

const root = path.resolve(import.meta.dirname, "../..");
const tools = { "linux.uml": "user-mode-linux", modprobe: "kmod", taskset: "util-linux", cc: "build-essential" };
const variables = ["PATH", "HOME", "LANG", "XDG_CACHE_HOME", "CNI_WRAPPERS_BIN", "OTHER_PLUGINS", "NO_COLOR"];

/** Says in one line why this host cannot boot a second kernel; undefined if it can. */
export function kernelProblem(): string | undefined {
  const missing = Object.entries(tools).filter(([tool]) => spawnSync("which", [tool]).status !== 0);
  if (missing.length === 0) return undefined;
  return `no second kernel, as ${missing.map(([tool, from]) => `${tool} (${from})`).join(" and ")} is missing`;
}

/** The CPUs of this process. One kernel uses one CPU: on two it is ten times slower. */
export function ownCpus(): number[] {
  const list = /^Cpus_allowed_list:\s*(.*)$/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1] ?? "0";
  return list.split(",").flatMap((range) => {
    const [first = 0, last = first] = range.split("-").map(Number);
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  });
}

/** Runs a function for each CPU's part of the items, all at the same time: every so-many-th item is in one part. */
export function inParts<Item, Result>(
  items: readonly Item[],
  run: (own: readonly Item[], cpu: number) => Promise<Result>,
): Promise<Result[]> {
  const cpus = ownCpus().slice(0, items.length);
  return Promise.all(cpus.map((cpu, part) => run(everyNth(items, part, cpus.length), cpu)));
}

/** Runs a command of this clone in a second kernel of its own. Returns what it left in its folder by `read`. */
export async function inSecondKernel<T>(
  command: readonly string[],
  read: (ended: Ended, folder: string) => T,
  cpu = ownCpus()[0],
  memory = "1G",
): Promise<T> {
  return withFolder(async (folder) => read(await boot(command, folder, cpu, memory), folder));
}

/** Uses a folder for a boot, then removes it. It also removes it if a signal ends this process. */
async function withFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(path.join(tmpdir(), "cni-wrappers-kernel-"));
  // A killed kernel may still write for a moment.
  const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  process.once("exit", remove);
  try {
    return await use(folder);
  } finally {
    process.off("exit", remove);
    remove();
  }
}

/** Runs this program again, in a second kernel. Returns the JSON that it prints there. */
export function rerunInSecondKernel<T>(program: string, given: readonly string[], cpu = ownCpus()[0]): Promise<T> {
  const command = ["node_modules/.bin/node", path.relative(root, program), ...given];
  return inSecondKernel(
    command,
    ({ exitCode, stdout, stderr }) => {
      process.stderr.write(stderr);
      process.exitCode = exitCode || process.exitCode;
      return JSON.parse(stdout);
    },
    cpu,
  );
}

/**
 * Boots a second kernel (User Mode Linux) that runs a command of this clone and ends. Its `sharedFolder` is the folder. Throws if
 * the kernel ends before the command.
 */
async function boot(
  command: readonly string[],
  folder: string,
  cpu: number | undefined,
  memory: string,
): Promise<Ended> {
  copyFileSync(path.join(import.meta.dirname, "init.sh"), path.join(folder, "init"));
  writeFileSync(path.join(folder, "job"), jobOf(command));
  const kernel = ["linux.uml", `mem=${memory}`, "rootfstype=hostfs", "rootflags=/", "ro", "quiet"];
  const parameters = [`init=${folder}/init`, `folder=${folder}`, "con=null", "con0=fd:0,fd:1"];
  const child = spawn("taskset", ["--cpu-list", `${cpu}`, ...kernel, ...parameters], {
    detached: true,
    env: { ...process.env, LD_PRELOAD: await nativeProgram("xstate") },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const chunks: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => chunks.push(chunk));
  const closed = once(child, "close");
  const kill = () => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, "SIGKILL");
  };
  // The folder's removal must come after it.
  process.prependOnceListener("exit", kill);
  await closed;
  process.off("exit", kill);
  return readEnd(folder, Buffer.concat(chunks).toString());
}

function jobOf(command: readonly string[]): string {
  const given = variables.flatMap((name) => (process.env[name] ? [`${name}=${process.env[name]}`] : []));
  const words = ["env", ...given, "TMPDIR=/run/tmp", "CNI_WRAPPERS_SECOND_KERNEL=1", ...command];
  return `cd ${quoted(root)} && exec ${words.map(quoted).join(" ")}\n`;
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

function readEnd(folder: string, terminal: string): Ended {
  const exitCode = readShared(folder, "exit-code");
  const [stdout, stderr] = [readShared(folder, "stdout"), readShared(folder, "stderr")];
  if (exitCode === "") throw new Error(`the second kernel ended before its command:\n${terminal}${stdout}${stderr}`);
  return { exitCode: Number(exitCode), stdout, stderr };
}

/** A file that the second kernel left in its folder. Empty if there is no such file. */
function readShared(folder: string, name: string): string {
  const file = path.join(folder, name);
  return existsSync(file) ? readFileSync(file, "utf8") : "";
}
