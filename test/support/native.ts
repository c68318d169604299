import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readFile, rename } from "node:fs/promises";
import path from "node:path";
import { cache, firstError } from "../../build/publish.ts";

const sources = path.resolve(import.meta.dirname, "native");
const flags = {
  failing: ["-static", "-Os", "-s"],
  floor: ["-static", "-Os", "-s"],
  delegate: ["-static", "-Os", "-s", "-nostdlib", "-ffreestanding", "-fno-stack-protector"],
  xstate: ["-shared", "-fPIC", "-Os", "-s"],
} as const;

/** Returns a static executable, or a library to preload, of a C program in `test/support/native`. It is compiled if it is missing. */
export async function nativeProgram(name: keyof typeof flags, command: readonly string[] = ["cc"]): Promise<string> {
  const source = path.join(sources, `${name}.c`);
  const compiler = await run(command, "--version");
  const library = await readFile(path.join(sources, "start.h"));
  const key = [await readFile(source), library, compiler, process.arch, ...command.slice(1), ...flags[name]];
  const directory = path.join(cache, "native", hashOf(key));
  const program = path.join(directory, name);
  if (!existsSync(program)) await compile(source, program, [...command, ...flags[name]]);
  return program;
}

// Another process may compile the same program, so the file has another name until it is complete.
async function compile(source: string, program: string, command: readonly string[]): Promise<void> {
  const unfinished = `${program}.${process.pid}`;
  await mkdir(path.dirname(program), { recursive: true });
  await run(command, "-o", unfinished, source);
  await rename(unfinished, program);
}

/** Runs a compiler. If it fails, says why in one line: cargo-zigbuild prints a stack trace. */
async function run([file = "", ...options]: readonly string[], ...args: string[]): Promise<string> {
  // cargo-zigbuild looks in PATH for the Python that has zig, which is next to it.
  const own = path.isAbsolute(file) ? [path.dirname(file)] : [];
  const PATH = [...own, process.env.PATH].join(path.delimiter);
  const ended = spawnSync(file, [...options, ...args], { encoding: "utf8", env: { ...process.env, PATH } });
  if (ended.status !== 0) throw new Error(`${path.basename(file)} cannot compile: ${firstError(ended)}`);
  return ended.stdout.trimEnd();
}

function hashOf(parts: readonly (string | Buffer)[]): string {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part).update("\0");
  return hash.digest("hex").slice(0, 16);
}
