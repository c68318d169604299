import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    projects: [
      { test: { name: "unit", include: ["test/unit/**/*.test.ts"] } },
      { test: { name: "executable", include: ["test/executable/**/*.test.ts"], testTimeout: 30_000 } },
      { test: { name: "e2e", include: ["test/e2e/**/*.test.ts"], testTimeout: 120_000, hookTimeout: 120_000 } },
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
