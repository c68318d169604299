import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { machine } from "node:os";
import { join } from "node:path";

/** The first cargo with `io::pipe`, which the Rust host uses. */
const oldestCargo = [1, 87] as const;

/** Returns the target of this host's Rust toolchain: `x86_64-unknown-linux-gnu`, for example. */
export function hostTarget(): string {
  return /^host: (.*)$/m.exec(output("rustc", "-vV"))?.[1] ?? "unknown";
}

/**
 * Returns the directory of the sources of Rust's library, and its name in the library. With the component `rust-src` rustc
 * finds them, and the directory gets into the executable.
 */
export function librarySources(): readonly [directory: string, name: string] {
  const commit = /^commit-hash: (.*)$/m.exec(output("rustc", "-vV"))?.[1];
  return [join(output("rustc", "--print", "sysroot").trim(), "lib/rustlib/src/rust"), `/rustc/${commit}`];
}

/** Says in one line why cargo cannot build on this host; undefined if it can. */
export function cargoProblem(): string | undefined {
  const wanted = `cargo ${oldestCargo.join(".")} or newer is needed`;
  const [version, major, minor] = /^cargo (\d+)\.(\d+)[.\d]*/.exec(output("cargo", "--version")) ?? [];
  if (version === undefined) return `${wanted}, and there is none in PATH`;
  const distance = Number(major) - oldestCargo[0] || Number(minor) - oldestCargo[1];
  return distance < 0 ? `${wanted} (this is ${version})` : compilerProblem();
}

/** Says that there is no C compiler: the engine is written in C, and cargo links with it. */
export function compilerProblem(): string | undefined {
  const problem = "cargo needs a C compiler, and there is no cc in PATH: apt-get install build-essential";
  return output("cc", "--version") === "" ? problem : undefined;
}

/** Says in one line why this host cannot build for another target; undefined if it can. */
export function crossProblem(target: string): string | undefined {
  if (output("cargo-zigbuild", "--version") === "") {
    return `${target} needs zig as its C compiler and linker: pip install ziglang==0.17.0 cargo-zigbuild==0.24.0 (in a venv in PATH)`;
  }
  return libraryProblem(target);
}

/** Says in one line that Rust cannot build for a target; undefined if it can. */
export function libraryProblem(target: string): string | undefined {
  const { stdout, error } = run("rustc", "--print", "target-libdir", "--target", target);
  const library = error ? "/nowhere" : stdout.trim();
  if (library === "") return `rustc knows no target ${target}`;
  return existsSync(library)
    ? undefined
    : `Rust's standard library for ${target} is missing: rustup target add ${target}`;
}

/** Says in one line why this host cannot write the heap image of a target; undefined if it can. */
export function imageProblem(target: string | undefined): string | undefined {
  const problem = (target && emulatorProblem(target)) || patchProblem();
  return problem && `${problem}, or build with --no-image`;
}

/** Says in one line that nothing runs a target's executables, which write their heap image; undefined if something does. */
export function emulatorProblem(target: string): string | undefined {
  const emulator = emulatorFor(target);
  if (!emulator || output(emulator, "--version") !== "") return undefined;
  return `the heap image for ${target} needs ${emulator}, which runs the new executable: apt-get install qemu-user-static`;
}

/** Says in one line that the engine cannot be patched for the heap image; undefined if it can. */
export function patchProblem(): string | undefined {
  const problem = "the heap image needs patch, for the engine's sources: apt-get install patch";
  return output("patch", "--version") === "" ? problem : undefined;
}

/** Returns what runs a target's executables on this host; undefined if the host can. */
export function emulatorFor(target: string): string | undefined {
  const [architecture = ""] = target.split("-");
  return architecture === machine() ? undefined : `qemu-${architecture}-static`;
}

function output(command: string, ...args: string[]): string {
  return run(command, ...args).stdout ?? "";
}

function run(command: string, ...args: string[]) {
  // rustup must not download a missing toolchain.
  const env = { ...process.env, RUSTUP_AUTO_INSTALL: "0" };
  return spawnSync(command, args, { encoding: "utf8", env });
}
