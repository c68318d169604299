import { existsSync } from "node:fs";
import { join } from "node:path";
import { execa } from "execa";
import { expect, test } from "vitest";
import { temporary } from "../../support/scratch.ts";
import { bin } from "../support/machine.ts";

test("prune does nothing in the host's network without the host's processes, as in some containers", async () => {
  const own = ["--pid", "--mount", "--fork", "--mount-proc"];
  const prune = [join(bin, "cni-wrappers"), "prune", "--cache-dir", temporary()];
  const { stderr } = await execa("unshare", [...own, ...prune], { reject: false });
  // In a container with a network of its own the tests cannot have the host's.
  const isHostNetwork = existsSync("/proc/sys/net/core/netdev_max_backlog");
  expect(stderr.includes("run it on the host itself")).toBe(isHostNetwork);
});
