import { readFileSync } from "node:fs";
import path from "node:path";
import { nomad, versionOf } from "./nomad.ts";

/** The version of a Go module that a folder in `test/` pins, such as `1.1.14`. */
export function pinnedVersion(folder: string, module: string): string {
  const lines = readFileSync(path.resolve(import.meta.dirname, "..", folder, "go.mod"), "utf8").split("\n");
  const found = lines
    .map((line) => line.trim().replace(/^require /, ""))
    .find((line) => line.startsWith(`${module} v`));
  if (!found) throw new Error(`${folder}/go.mod does not require ${module}`);
  return found.slice(module.length + 2).split(" ")[0] ?? "";
}

/** The version of the tests' Nomad. */
export async function nomadVersion(): Promise<string> {
  return await versionOf(await nomad());
}

/** Versions as a sentence above a table: `Nomad 1.11.0, go-cni 1.1.14.` */
export function sentence(versions: Readonly<Record<string, string>>): string {
  const parts = Object.entries(versions).map((pair) => pair.join(" "));
  const text = parts.join(", ");
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
