import { existsSync, globSync, mkdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { execa } from "execa";
import { cache } from "../../build/publish.ts";
import type { needs } from "./needs.ts";

/** A fault of another project: the data beside its patch. */
export interface Fault {
  /** The folder in `upstream/`. */
  readonly name: string;
  /** A Go module, and the release that the patch is against. */
  readonly module: string;
  readonly version: string;
  /** The packages whose suites the patch can change. */
  readonly packages: readonly string[];
  /** The new tests: the beginning of their names, without the packages' own words. */
  readonly tests: readonly string[];
  /** What the kernel needs for the commands of the report. */
  readonly needs?: keyof typeof needs;
}

/** The folder with a folder for each fault. */
export const upstream = path.resolve(import.meta.dirname, "../../upstream");

/** Every fault, in the order of the page's table. */
export function readFaults(): readonly Fault[] {
  const faults = globSync("*/fault.json", { cwd: upstream }).map((file) => ({
    order: 0,
    ...JSON.parse(readFileSync(path.join(upstream, file), "utf8")),
    name: path.dirname(file),
  }));
  return faults.sort((one, other) => one.order - other.order);
}

/** The patch of a fault. */
export function patchOf({ name }: Fault): string {
  return path.join(upstream, name, "fault.patch");
}

/** The sources of a module in Go's cache; undefined if `download` is false and they are not there. */
export async function moduleSources({ module, version }: Pick<Fault, "module" | "version">, download = true) {
  // What is in the cache was verified when it came.
  const environment = download ? {} : { GOPROXY: "off", GOSUMDB: "off" };
  const options = { cwd: cache, reject: false, env: { GOFLAGS: "-mod=mod", ...environment } };
  mkdirSync(cache, { recursive: true });
  const { stdout, exitCode } = await execa("go", ["mod", "download", "-json", `${module}@${version}`], options);
  const found: { Dir?: string } = exitCode === 0 ? JSON.parse(stdout) : {};
  return found.Dir !== undefined && existsSync(found.Dir) ? found.Dir : undefined;
}
