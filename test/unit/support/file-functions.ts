import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { basename } from "node:path";
import { onTestFinished } from "vitest";

/** Replaces functions of one of Node's modules for everybody who imports it. Returns what undoes it. */
export function replaceFunctions<Module extends object>(module: Module, functions: Partial<Module>): () => void {
  const names = Object.keys(functions) as (keyof Module)[];
  const actual = Object.fromEntries(names.map((name) => [name, module[name]]));
  const replace = (by: object) => {
    Object.assign(module, by);
    syncBuiltinESMExports();
  };
  replace(functions);
  return () => replace(actual);
}

/** The same for `node:fs`. */
export function replaceFileFunctions(functions: Partial<typeof fs>): () => void {
  return replaceFunctions(fs, functions);
}

/** As `replaceFileFunctions`, for one function, which is made of the actual one, and at most until the test ends. */
export function intercept<Name extends keyof typeof fs>(
  name: Name,
  make: (actual: (typeof fs)[Name]) => (...args: never[]) => unknown,
): () => void {
  const restore = replaceFileFunctions({ [name]: make(fs[name]) });
  onTestFinished(restore);
  return restore;
}

/** Until the test ends, a function of `node:fs` fails. */
export function failWith(code: string, name: keyof typeof fs): void {
  intercept(name, () => () => {
    throw Object.assign(new Error(code), { code });
  });
}

/** Notes each fsync, with the content of a file, and each rename, with the new name, until the test ends. */
export function noteSyncs(): { readonly done: string[] } {
  const done: string[] = [];
  const { fsyncSync, renameSync, fstatSync, readFileSync } = fs;
  const restore = replaceFileFunctions({
    fsyncSync(descriptor) {
      const isFile = fstatSync(descriptor).isFile();
      done.push(isFile ? `fsync ${readFileSync(`/proc/self/fd/${descriptor}`)}` : "fsync of a directory");
      fsyncSync(descriptor);
    },
    renameSync(from, to) {
      done.push(`rename to ${basename(String(to))}`);
      renameSync(from, to);
    },
  });
  onTestFinished(restore);
  return { done };
}
