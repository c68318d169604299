/** The npm scripts that run set-up, both builds and cases of each step of `npm test`. */
export const scripts: readonly (readonly string[])[] = [
  // It builds both flavors.
  ["differential"],
  ["lint"],
  [
    "test:only",
    "--",
    ...["test/unit/about.test.ts", "test/unit/nomad-jobs.test.ts", "test/unit/cli/install/"],
    ...["test/executable/version.test.ts", "test/executable/temporary-files.test.ts"],
    ...["test/executable/build/npm.test.ts", "test/executable/build/stamp.test.ts"],
    ...["test/e2e/status.test.ts", "test/e2e/journal-files.test.ts"],
  ],
];
