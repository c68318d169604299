import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, join, resolve } from "node:path";
import { cache, outputOf, root } from "./publish.ts";

const require = createRequire(import.meta.url);

/** The Node that an executable contains: its program, its version and its licence. */
export interface NodeBase {
  readonly path: string;
  readonly version: string;
  readonly licence: string;
}

/** Finds the Node of the lock file for an architecture. npm installs only the host's, so another one is kept in the cache. */
export function findNode(arch: string = process.arch): NodeBase {
  const directory = arch === process.arch ? installed(arch) : cached(arch);
  const { version } = JSON.parse(readFileSync(join(directory, "package.json"), "utf8")) as { version: string };
  return { path: join(directory, "bin/node"), version, licence: join(directory, "LICENSE") };
}

function installed(arch: string): string {
  return resolve(require.resolve(`node-linux-${arch}/package.json`), "..");
}

function cached(arch: string): string {
  const { version, integrity } = lockedNode(arch);
  const directory = join(cache, `node-linux-${arch}-${version}`);
  if (existsSync(directory)) return directory;
  mkdirSync(cache, { recursive: true });
  const stage = mkdtempSync(join(cache, ".node-"));
  try {
    unpack(`node-linux-${arch}@${version}`, integrity, stage);
    renameSync(join(stage, "package"), directory);
  } finally {
    rmSync(stage, { recursive: true, force: true });
  }
  return directory;
}

/** Returns the version and the checksum that the lock file has for Node. */
export function lockedNode(arch: string): { version: string; integrity: string } {
  const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
  const locked = packages[`node_modules/node-linux-${arch}`];
  if (!locked) throw new Error(`the lock file has no Node for ${arch}`);
  return locked;
}

function unpack(name: string, integrity: string, stage: string): void {
  const args = ["pack", "--silent", "--pack-destination", stage, name];
  const archive = join(stage, outputOf("npm", args, {}, `npm cannot get ${name}`).trim());
  const checksum = `sha512-${createHash("sha512").update(readFileSync(archive)).digest("base64")}`;
  if (checksum !== integrity) throw new Error(`${name} is not the package of the lock file`);
  outputOf("tar", ["-xzf", archive, "-C", stage], {}, `tar cannot unpack ${archive}`);
}

/** The emulators for the architectures, and the Debian folders with the libraries that Node needs in them. */
const emulators: Readonly<Record<string, readonly [program: string, libraries: string, packages: string]>> = {
  arm64: ["qemu-aarch64-static", "/usr/aarch64-linux-gnu", "libc6-arm64-cross libstdc++6-arm64-cross"],
  x64: ["qemu-x86_64-static", "/usr/x86_64-linux-gnu", "libc6-amd64-cross libstdc++6-amd64-cross"],
};

/** Returns the command that runs Node for an architecture: empty for this host's. */
export function emulator(arch: string): string[] {
  const problem = nodeProblem(arch);
  if (problem !== undefined) throw new Error(problem);
  const [program, libraries] = emulatorOf(arch);
  return arch === process.arch ? [] : [program, "-L", libraries];
}

/** Says in one line that nothing runs Node for an architecture; undefined if something does. */
export function nodeProblem(arch: string): string | undefined {
  if (arch === process.arch) return undefined;
  const [program, libraries, packages] = emulatorOf(arch);
  const isFound = (process.env.PATH ?? "").split(delimiter).some((place) => existsSync(join(place, program)));
  if (isFound && existsSync(`${libraries}/lib/libstdc++.so.6`)) return undefined;
  return `Node for ${arch} runs in ${program}: apt-get install qemu-user-static ${packages}`;
}

function emulatorOf(arch: string): readonly [program: string, libraries: string, packages: string] {
  return emulators[arch] ?? [`an emulator for ${arch}`, "/", ""];
}
