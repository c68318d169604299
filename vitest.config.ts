import { defineConfig } from "vitest/config";
import { flavors } from "./test/support/flavors.ts";

export default defineConfig({
  test: {
    projects: [
      // A busy machine may need long for the properties: that is no failure.
      { test: { name: "unit", include: ["test/unit/**/*.test.ts"], testTimeout: 60_000 } },
      ...flavors.flatMap(({ suffix, env, ownTests }) => [
        {
          test: {
            name: `executable${suffix}`,
            env,
            include: ["test/executable/*.test.ts", ownTests],
            testTimeout: 30_000,
          },
        },
        {
          test: {
            name: `e2e${suffix}`,
            env,
            include: ["test/e2e/**/*.test.ts"],
            testTimeout: 120_000,
            hookTimeout: 120_000,
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
      { test: { name: "runtimes", include: ["test/runtimes/**/*.test.ts"], testTimeout: 120_000 } },
    ],
  },
});
