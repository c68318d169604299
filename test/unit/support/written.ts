import { mkdirSync, writeFileSync } from "node:fs";
import { basename, dirname } from "node:path";

/** Writes a file, and makes the directories that it is in. An object is written as JSON. */
export function writeFile(file: string, content: string | object): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
}

/** Writes a list that has the name of its file. */
export function writeList(file: string, ...plugins: readonly object[]): void {
  writeFile(file, { cniVersion: "1.0.0", name: basename(file, ".conflist"), plugins });
}
