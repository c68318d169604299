import fs from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { temporary } from "../../support/scratch.ts";
import { replaceFileFunctions } from "./file-functions.ts";

const takingPaths = [
  ...["accessSync", "chmodSync", "existsSync", "linkSync", "lstatSync", "mkdirSync", "openSync", "readdirSync"],
  ...["readFileSync", "readlinkSync", "realpathSync", "renameSync", "rmdirSync", "rmSync", "statfsSync", "statSync"],
  ...["unlinkSync", "utimesSync", "writeFileSync"],
] as const;

type FileFunction = (...args: readonly unknown[]) => unknown;

/** Until the test ends, every module finds `directory` in place of a directory of this machine, such as /var/lib/cni. */
export function redirect(place: string, directory: string): void {
  const there = (value: unknown) =>
    value === place || String(value).startsWith(`${place}/`)
      ? `${directory}${String(value).slice(place.length)}`
      : value;
  const functions = takingPaths.map((name) => {
    const actual = fs[name as keyof typeof fs] as FileFunction;
    const replacement = (first: unknown, second: unknown, ...rest: readonly unknown[]) =>
      actual(there(first), ["linkSync", "renameSync"].includes(name) ? there(second) : second, ...rest);
    return [name, replacement];
  });
  onTestFinished(replaceFileFunctions(Object.fromEntries(functions)));
}

/** Until the test ends, this process's program has the name of Nomad's, as an agent's has. */
export function imitateNomad(): void {
  const link = join(temporary(), "exe");
  fs.symlinkSync("/usr/bin/nomad", link);
  redirect(`/proc/${process.pid}/exe`, link);
}
