import { join } from "node:path";

/**
 * The flavors in the executables' tests, one vitest project each: the suffix of the project's name, the variables for the
 * tests (the flavor and the place of the executables), and the tests of this flavor alone.
 */
export const flavors = [
  { suffix: "", env: variables("node", "dist/bin"), ownTests: "test/executable/{build,node}/*.test.ts" },
  { suffix: "-slim", env: variables("slim", "dist/slim/bin"), ownTests: "test/executable/build/slim/*.test.ts" },
] as const;

// The caller's variable wins, for example for another target.
function variables(flavor: string, directory: string): Record<string, string> {
  return {
    CNI_WRAPPERS_FLAVOR: flavor,
    CNI_WRAPPERS_BIN: process.env.CNI_WRAPPERS_BIN ?? join(import.meta.dirname, "../..", directory),
  };
}

/** The end-to-end tests of commands that say which flavor is installed, or run jq. The other commands see slim wrappers. */
export const commandTests = endToEnd("lint-plugins", "status", "uninstall");

/** The end-to-end tests of what a flavor has of its own: its host, its log and jq. */
export const hostTests = endToEnd(
  "at-the-same-time",
  "bare-host",
  "being-told",
  "crio-order",
  "deadline",
  "drop-in",
  "journal",
  "neighbours",
  "published-ports",
  "recovery",
  "recovery-reboot",
  "sbr",
  "slaac",
);

function endToEnd(...names: readonly string[]): readonly string[] {
  return names.map((name) => `test/e2e/${name}.test.ts`);
}
