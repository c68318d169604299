import { realpathSync, statSync } from "node:fs";
import { execa } from "execa";

/** The file of a program in PATH; undefined if there is none. */
export async function findProgram(name: string): Promise<string | undefined> {
  const { stdout } = await execa("sh", ["-c", 'command -v "$1"', "sh", name], { reject: false });
  return stdout || undefined;
}

/** The files of a program and its libraries, without the C library, which every host has. */
export async function withLibraries(name: string): Promise<string[]> {
  const file = await findProgram(name);
  if (file === undefined) throw new Error(`${name} is missing in PATH`);
  // ldd fails for a static program, which has no libraries.
  const { stdout } = await execa("ldd", [file], { reject: false });
  const libraries = [...stdout.matchAll(/=> (\/\S+)/g)].map(([, library = ""]) => library);
  const own = libraries.filter((library) => !/\/lib(c|m|dl|pthread)\.so/.test(library));
  return [file, ...own].map((each) => realpathSync(each));
}

/** The total size of files or link targets. In bytes. */
export function sizeOf(files: readonly string[]): number {
  return files.reduce((sum, file) => sum + statSync(file).size, 0);
}
