import { join } from "node:path";

/**
 * What the tests of the executables are run with, one project of vitest for each: the suffix of the project's name, the
 * variables that tell the tests which flavor it is and where the executables are, and the tests of this flavor alone.
 */
export const flavors = [
  { suffix: "", env: variables("node", "dist/bin"), ownTests: "test/executable/{build,node}/*.test.ts" },
  { suffix: "-slim", env: variables("slim", "dist/slim/bin"), ownTests: "test/executable/build/slim/*.test.ts" },
] as const;

// What the caller says counts: the executables of another target, say.
function variables(flavor: string, directory: string): Record<string, string> {
  return {
    CNI_WRAPPERS_FLAVOR: flavor,
    CNI_WRAPPERS_BIN: process.env.CNI_WRAPPERS_BIN ?? join(import.meta.dirname, "../..", directory),
  };
}
