import { expect, test } from "vitest";
import { runCommand } from "../support/fake-terminal.ts";

const release = {
  ...{ version: "1.2.3", commit: "abc", flavor: "node", target: "linux-arm64" },
  parts: { node: "24.0.0", jq: "1.8.2" },
};

test("--json, also twice, has the version, the commit, the flavor, the platform and the parts, and nothing else", async () => {
  const { exitCode, stdout, stderr } = await runCommand(["version", "--json", "--json"], { release });
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  expect(JSON.parse(stdout)).toEqual({
    version: "1.2.3",
    commit: "abc",
    flavor: "node",
    target: "linux-arm64",
    parts: { node: "24.0.0", jq: "1.8.2" },
  });
});

test("without --json it is a line for each", async () => {
  const { exitCode, stdout } = await runCommand(["version"], { release });
  expect(exitCode).toBe(0);
  expect(stdout.split("\n")).toEqual([
    "version  1.2.3",
    "commit   abc",
    "flavor   node",
    "target   linux-arm64",
    "parts    node 24.0.0, jq 1.8.2",
    "",
  ]);
});
