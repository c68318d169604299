import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

/** What the Rust host needs: `io::pipe`. */
const oldestCargo = [1, 87] as const;

/** What this host's Rust toolchain makes executables for: `x86_64-unknown-linux-gnu`. */
export function hostTarget(): string {
  return /^host: (.*)$/m.exec(output("rustc", "-vV"))?.[1] ?? "unknown";
}

/** Why nothing can be built here with cargo, in one line; nothing if it can. */
export function cargoProblem(): string | undefined {
  const wanted = `cargo ${oldestCargo.join(".")} or newer is needed`;
  const [version, major, minor] = /^cargo (\d+)\.(\d+)[.\d]*/.exec(output("cargo", "--version")) ?? [];
  if (version === undefined) return `${wanted}, and there is none in PATH`;
  const distance = Number(major) - oldestCargo[0] || Number(minor) - oldestCargo[1];
  if (distance < 0) return `${wanted} (this is ${version})`;
  // The engine is written in C, and cargo links with it.
  const noCompiler = "cargo needs a C compiler, and there is no cc in PATH: apt-get install build-essential";
  return output("cc", "--version") === "" ? noCompiler : undefined;
}

/** Why nothing can be built for a target other than this host's, in one line; nothing if it can. */
export function crossProblem(target: string): string | undefined {
  if (output("cargo-zigbuild", "--version") === "") {
    return `${target} needs zig as its C compiler and linker: pip install ziglang==0.17.0 cargo-zigbuild==0.24.0 (in a venv in PATH)`;
  }
  const library = output("rustc", "--print", "target-libdir", "--target", target).trim();
  if (library === "") return `rustc knows no target ${target}`;
  return existsSync(library)
    ? undefined
    : `Rust's standard library for ${target} is missing: rustup target add ${target}`;
}

function output(command: string, ...args: string[]): string {
  // Whether a toolchain is there is to be found out, not changed: rustup would download one.
  const env = { ...process.env, RUSTUP_AUTO_INSTALL: "0" };
  return spawnSync(command, args, { encoding: "utf8", env }).stdout ?? "";
}
