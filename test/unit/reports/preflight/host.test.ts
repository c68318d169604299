import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { makeHost } from "../../../reports/preflight/host.ts";
import { runCommand } from "../../support/fake-terminal.ts";

test("preflight runs both plugins of every made-up attachment, and each passes", async () => {
  const directory = mkdtempSync(join(tmpdir(), "made-up-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const { options, calls } = makeHost(directory, 3);
  const { stdout, exitCode } = await runCommand(["preflight", "--json", ...options]);
  expect(exitCode).toBe(0);
  const { attachments } = JSON.parse(stdout);
  const verdicts = attachments.map(({ verdict }: { verdict: { is: string } }) => verdict.is);
  expect(verdicts).toEqual(["passes", "passes", "passes"]);
  const plugins = readFileSync(calls, "utf8")
    .split("\n")
    .filter((line) => line.includes("/bin/"));
  expect(plugins.map((line) => line.replace(/.*\//, ""))).toEqual([
    "macvlan",
    "bridge",
    "macvlan",
    "bridge",
    "macvlan",
    "bridge",
  ]);
});
