// Notes what a test reads while it runs. Its script shows only what it imports.
import childProcess from "node:child_process";
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";

type Note = (path: string) => void;
type Modules = Record<string, unknown>;

/** Calls `note` with each path that is given to node:fs, and with `root` for each program from there: it may read anything. */
export function watchReads(root: string, note: Note): void {
  const isOurs = (path: string) => path === root || (path.startsWith(`${root}/`) && !path.includes("/node_modules/"));
  const noteOurs: Note = (path) => void (isOurs(path) && note(path));
  const notePath = ([path]: readonly unknown[]) => noteOurs(pathOf(path));
  watch(fs as unknown as Modules, notePath);
  watch(fs.promises as unknown as Modules, notePath);
  watch(childProcess as unknown as Modules, (args) => {
    const words = args.flat().map((word) => pathOf((word as { cwd?: unknown } | undefined)?.cwd ?? word));
    if (words.some(isOurs)) note(root);
  });
  syncBuiltinESMExports();
}

function watch(module: Modules, see: (args: readonly unknown[]) => void): void {
  for (const [name, value] of Object.entries(module)) {
    if (typeof value !== "function" || !/^[a-z]/.test(name)) continue;
    module[name] = new Proxy(value, {
      apply(target, self, args) {
        see(args);
        return Reflect.apply(target, self, args);
      },
    });
  }
}

function pathOf(value: unknown): string {
  if (value instanceof URL) return value.protocol === "file:" ? fileURLToPath(value) : "";
  return typeof value === "string" ? resolve(value) : "";
}
