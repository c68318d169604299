import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";

/** Replaces functions of `node:fs` for every module. Returns what undoes it. */
export function replaceFileFunctions(functions: Partial<typeof fs>): () => void {
  const names = Object.keys(functions) as (keyof typeof fs)[];
  const actual = Object.fromEntries(names.map((name) => [name, fs[name]]));
  const replace = (by: object) => {
    Object.assign(fs, by);
    syncBuiltinESMExports();
  };
  replace(functions);
  return () => replace(actual);
}
