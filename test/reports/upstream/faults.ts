import { createHash } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import type { needs } from "../../support/needs.ts";

/** A fault of another project: the data beside its patch. */
export interface Fault {
  /** The folder in `upstream/`. */
  readonly name: string;
  readonly title: string;
  /** A Go module, and the release that the patch is against. */
  readonly module: string;
  readonly version: string;
  /** The packages whose suites the patch can change. */
  readonly packages: readonly string[];
  /** The new tests: the beginning of their names, without the packages' own words. */
  readonly tests: readonly string[];
  /** The cells of docs/conformance.md that become good: the plugins, by case. */
  readonly conformance: Readonly<Record<string, readonly string[]>>;
  /** The wrapper's workaround that a release with the patch makes superfluous. */
  readonly workaround: string;
  /** Flags of `go mod edit`, if the release's go.mod does not work without the rest of its repository. */
  readonly modEdit?: readonly string[];
  /** Flags of `go test`, for a module that uses Go's own test package. */
  readonly testFlags?: readonly string[];
  /** What the kernel needs for the commands of the report. */
  readonly needs?: keyof typeof needs;
}

/** The folder with a folder for each fault. */
export const upstream = path.resolve(import.meta.dirname, "../../../upstream");

/** Every fault, in the order of the table. */
export function readFaults(): readonly Fault[] {
  const files = globSync("*/fault.json", { cwd: upstream }).sort();
  const faults = files.map((file) => ({
    order: 0,
    ...JSON.parse(readFileSync(path.join(upstream, file), "utf8")),
    name: path.dirname(file),
  }));
  return faults.sort((one, other) => one.order - other.order);
}

/** The patch of a fault. */
export function patchOf({ name }: Pick<Fault, "name">): string {
  return path.join(upstream, name, "fault.patch");
}

/** The commit message at the head of a patch, and its changes. */
export function partsOf(fault: Pick<Fault, "name">): { readonly message: string; readonly changes: string } {
  const text = readFileSync(patchOf(fault), "utf8");
  const start = text.indexOf("diff --git ");
  return { message: text.slice(0, start), changes: text.slice(start) };
}

/** Says which releases and changes a result is about. It differs if one of them does. */
export function digestOf(faults: readonly Fault[]): string {
  const hash = createHash("sha256");
  for (const fault of faults) hash.update(`${fault.version}\n${partsOf(fault).changes}`);
  return hash.digest("hex").slice(0, 16);
}

/** The faults whose patches are tried out together: those of the plugins. */
export function togetherOf(faults: readonly Fault[]): readonly Fault[] {
  return faults.filter(({ module }) => module === reference);
}

/** The module of the reference plugins. */
export const reference = "github.com/containernetworking/plugins";
