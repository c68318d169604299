import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import * as namespaces from "../../../../cli/live/namespaces.ts";
import { scratch } from "../../../support/scratch.ts";
import { writeResult } from "../../support/cached-results.ts";
import { runCommand } from "../../support/fake-terminal.ts";

const directory = scratch();
beforeEach(() => {
  const names = ["/run/netns/none-c1", "/run/netns/none-c2", "/run/netns/none-c3"];
  vi.spyOn(namespaces, "namedNamespaces").mockReturnValue(names);
  mkdirSync(join(directory, "results"));
  for (const [networkName, containerId] of Object.entries({ zone: "none-c1", shop: "none-c2" }))
    writeResult(directory, { networkName, containerId, netns: `/run/netns/${containerId}` });
});
afterEach(() => void vi.restoreAllMocks());

test.each([[[]], [["--network", "zone"]], [["--container", "none-c1"]]])(
  "%j: the namespace of another container is no stray",
  async (options) => {
    const { stdout } = await runCommand(["preflight", "--json", "--cache-dir", directory, ...options]);
    expect(JSON.parse(stdout).strays.namespaces).toEqual(["/run/netns/none-c3"]);
  },
);
