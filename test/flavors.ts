import { join } from "node:path";

/**
 * What the tests of the executables are run with, one project of vitest for each: the suffix of the project's name, the
 * variable that tells the tests where the executables are, and the build's own tests.
 */
export const flavors = [
  { suffix: "", env: variables("dist/bin"), buildTests: "test/executable/build/*.test.ts" },
  { suffix: "-slim", env: variables("dist/slim/bin"), buildTests: "test/executable/build/slim/*.test.ts" },
] as const;

// What the caller says counts: the executables of another target, say.
function variables(directory: string): Record<string, string> {
  return { CNI_WRAPPERS_BIN: process.env.CNI_WRAPPERS_BIN ?? join(import.meta.dirname, "..", directory) };
}
