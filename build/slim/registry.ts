import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { outputOf } from "../publish.ts";

/** A crate, as `cargo metadata` lists it. */
export interface Package {
  readonly name: string;
  readonly version: string;
  readonly license: string | null;
  readonly repository: string | null;
  /** Where it comes from; null for this project's own crate. */
  readonly source: string | null;
  readonly manifest_path: string;
}

/** Returns the crates that a target needs, the own one among them. cargo gets what is missing. */
export function packagesFor(crate: string, target: string): readonly Package[] {
  const args = ["metadata", "--locked", "--format-version", "1", "--filter-platform", target];
  return JSON.parse(outputOf("cargo", args, { cwd: crate })).packages;
}

/** A crate of others. */
export interface Crate {
  readonly name: string;
  readonly version: string;
  /** The directory in cargo's registry, which cargo compiles. */
  readonly sources: string;
}

/** Returns the crates that a target needs, except the own one. */
export function cratesFor(crate: string, target: string): readonly Crate[] {
  const others = packagesFor(crate, target).filter(({ source }) => source !== null);
  return others.map(({ name, version, manifest_path }) => ({ name, version, sources: dirname(manifest_path) }));
}

/**
 * Unpacks the archives of crates into a directory, each as `<name>-<version>`. Throws if an archive is not the one that
 * Cargo.lock names, or if what cargo compiles is not what is in it: cargo compares an archive only when it downloads it.
 */
export function unpackCrates(crates: readonly Crate[], lock: string, into: string): void {
  for (const { name, version, sources } of crates) {
    const archive = `${sources.replace("/registry/src/", "/registry/cache/")}.crate`;
    const [, checksum] =
      new RegExp(`^name = "${name}"\nversion = "${version}"\n.*\nchecksum = "(.*)"$`, "m").exec(lock) ?? [];
    if (createHash("sha256").update(readFileSync(archive)).digest("hex") !== checksum)
      throw new Error(`${archive} is not the archive that Cargo.lock names: remove it`);
    outputOf("tar", ["-xzf", archive, "-C", into], {}, archive);
    const difference = differenceOf(join(into, basename(sources)), sources);
    if (difference) throw new Error(`${sources} is not what its archive has, remove it: ${difference}`);
  }
}

/** Says what differs between two directories; undefined if nothing does. */
export function differenceOf(one: string, other: string): string | undefined {
  // cargo marks with this file that it has unpacked everything.
  const run = spawnSync("diff", ["-rq", "--no-dereference", "--exclude=.cargo-ok", one, other], { encoding: "utf8" });
  return run.status === 0 ? undefined : (run.error?.message ?? `${run.stdout}${run.stderr}`.trim());
}
