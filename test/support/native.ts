import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readFile, rename } from "node:fs/promises";
import path from "node:path";
import process from "node:process";
import { execa } from "execa";
import { cacheDirectory } from "./cache.ts";

const sources = path.resolve(import.meta.dirname, "native");
const flags = {
  failing: ["-static", "-Os", "-s"],
  floor: ["-static", "-Os", "-s"],
  delegate: ["-static", "-Os", "-s", "-nostdlib", "-ffreestanding", "-fno-stack-protector"],
} as const;

/** Returns a static executable of a C program in `test/support/native`. It is compiled if it is missing. */
export async function nativeProgram(name: keyof typeof flags): Promise<string> {
  const source = path.join(sources, `${name}.c`);
  const { stdout: compiler } = await execa("cc", ["--version"]);
  const library = await readFile(path.join(sources, "start.h"));
  const key = [await readFile(source), library, compiler, process.arch, ...flags[name]];
  const directory = path.join(cacheDirectory(), "native", hashOf(key));
  const program = path.join(directory, name);
  if (!existsSync(program)) await compile(source, program, flags[name]);
  return program;
}

// Another process may compile the same program, so the file has another name until it is complete.
async function compile(source: string, program: string, options: readonly string[]): Promise<void> {
  const unfinished = `${program}.${process.pid}`;
  await mkdir(path.dirname(program), { recursive: true });
  await execa("cc", [...options, "-o", unfinished, source]);
  await rename(unfinished, program);
}

function hashOf(parts: readonly (string | Buffer)[]): string {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part).update("\0");
  return hash.digest("hex").slice(0, 16);
}
