import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import * as namespaces from "../../../../cli/live/namespaces.ts";
import { writeResult } from "../../support/cached-results.ts";
import { runCommand } from "../../support/fake-terminal.ts";

let directory = "";
beforeEach(() => {
  const names = ["/run/netns/none-c1", "/run/netns/none-c2", "/run/netns/none-c3"];
  vi.spyOn(namespaces, "namedNamespaces").mockReturnValue(names);
  directory = mkdtempSync(join(tmpdir(), "strays-"));
  mkdirSync(join(directory, "results"));
  for (const [networkName, containerId] of [
    ["zone", "none-c1"],
    ["shop", "none-c2"],
  ]) {
    writeResult(directory, { networkName, containerId, netns: `/run/netns/${containerId}` });
  }
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(directory, { recursive: true });
});

test.each([[[]], [["--network", "zone"]], [["--container", "none-c1"]]])(
  "%j: the namespace of another container is no stray",
  async (options) => {
    const { stdout } = await runCommand(["preflight", "--json", "--cache-dir", directory, ...options]);
    expect(JSON.parse(stdout).strays.namespaces).toEqual(["/run/netns/none-c3"]);
  },
);
