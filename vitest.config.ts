import process from "node:process";
import { defineConfig } from "vitest/config";
import { commandTests, flavors } from "./test/support/flavors.ts";

// In the second kernel every process takes ten times as long.
const patience = process.env.CNI_WRAPPERS_SECOND_KERNEL ? 10 : 1;
// And in an emulator of another architecture.
const emulated = process.env.CNI_WRAPPERS_EMULATED ? 10 : 1;

export default defineConfig({
  test: {
    // shared/host/ reaches the machine: the tests of the executables cover it, in both flavors.
    coverage: {
      include: ["shared/**/*.ts"],
      reportsDirectory: "dist/coverage",
      exclude: ["shared/host/**"],
      reporter: [["text", { skipFull: true }]],
      thresholds: { lines: 98 },
    },
    projects: [
      {
        test: {
          name: "unit",
          include: ["test/unit/**/*.test.ts"],
          // A busy machine may need long for the properties: that is no failure.
          testTimeout: 60_000,
          // A loop over nothing would pass.
          expect: { requireAssertions: true },
          // Each worker loads a module once, not once for a file. So no file may use vi.mock or leave a global changed.
          isolate: false,
          // Each start of a program copies the page table: with the usual space for new objects, that took a fifth of the time.
          execArgv: ["--max-semi-space-size=2"],
        },
      },
      ...flavors.flatMap(({ suffix, env, ownTests }) => [
        {
          test: {
            name: `executable${suffix}`,
            env,
            include: ["test/executable/*.test.ts", ownTests],
            testTimeout: 30_000 * emulated,
          },
        },
        {
          test: {
            name: `e2e${suffix}`,
            env,
            include: ["test/e2e/**/*.test.ts"],
            // In the second kernel each flavor runs every case.
            exclude: suffix === "-slim" && patience === 1 ? [...commandTests] : [],
            // As in the unit tests.
            isolate: false,
            testTimeout: 120_000 * patience,
            hookTimeout: 120_000 * patience,
            expect: { poll: { timeout: 30_000 * patience } },
          },
        },
      ]),
      {
        test: {
          name: "nomad",
          include: ["test/nomad/**/*.test.ts"],
          setupFiles: ["test/nomad/setup.ts"],
          testTimeout: 300_000,
        },
      },
      { test: { name: "alerts", include: ["test/alerts/**/*.test.ts"], testTimeout: 30_000 } },
      { test: { name: "long", include: ["test/long/**/*.test.ts"], testTimeout: 120_000 } },
      { test: { name: "page", include: ["test/page/**/*.test.ts"], testTimeout: 600_000, hookTimeout: 60_000 } },
      { test: { name: "runtimes", include: ["test/runtimes/**/*.test.ts"], testTimeout: 120_000 } },
    ],
  },
});
