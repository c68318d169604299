import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { runPlugin } from "../../../../cli/live/run-plugin.ts";

test("a type that is a path runs nothing, and the error is libcni's", async () => {
  const directory = mkdtempSync(join(tmpdir(), "run-plugin-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  mkdirSync(join(directory, "bin"));
  writeFileSync(join(directory, "outside"), "#!/bin/sh\n", { mode: 0o755 });
  const run = { environment: { CNI_PATH: join(directory, "bin") }, stdin: {} };
  expect(await runPlugin({ ...run, type: "../outside" }, 60)).toEqual({
    passed: false,
    error: "invalid plugin name: ../outside",
  });
});
