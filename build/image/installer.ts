import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { firstError } from "../publish.ts";
import { type Architecture, architectures } from "../release/artifacts.ts";

const source = "install.rs";

/** Compiles the image's entry point for an architecture. It needs no linker of the host. */
export function compileInstaller(architecture: Architecture, output: string): void {
  const codegen = ["linker=rust-lld", "opt-level=s", "panic=abort", "strip=symbols", "lto=fat"];
  const target = ["--edition", "2024", "--target", architectures[architecture].target];
  const args = [...target, ...codegen.flatMap((option) => ["-C", option]), "-o", output, source];
  const ended = spawnSync("rustc", args, { cwd: join(import.meta.dirname), encoding: "utf8" });
  if (ended.status !== 0) throw new Error(`the image's entry point needs rustc for musl: ${firstError(ended)}`);
}
