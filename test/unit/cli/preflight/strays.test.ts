import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import * as namespaces from "../../../../cli/live/namespaces.ts";
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
    const netns = `/run/netns/${containerId}`;
    const cached = { kind: "cniCacheV1", networkName, containerId, ifName: "eth0", netns };
    writeFileSync(join(directory, "results", `${networkName}-${containerId}-eth0`), JSON.stringify(cached));
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
