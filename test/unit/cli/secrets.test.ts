import { expect, test } from "vitest";
import type { Case } from "../../../cli/adopt/proposal.ts";
import { jsonOf } from "../../../cli/adopt/report.ts";
import type { CachedAttachment } from "../../../cli/live/cached-results.ts";
import { preflightJson } from "../../../cli/preflight/report.ts";
import { entryOf } from "../support/journals.ts";
import { rememberedOf } from "./prune/support.ts";

// A journal has configurations, and a configuration may have a password.
const memory = rememberedOf(entryOf({ configuration: { type: "bridge", password: "hunter2" } }));
const workload = { runtime: "Nomad", name: "web" } as const;

test("preflight --json names the files of journals, and not what they have", () => {
  const strays = { namespaces: [], memories: [memory] };
  const lookedAt = {
    directories: { lists: [], plugins: [], results: "", from: { lists: "usual", plugins: "usual" } },
    journalProblem: null,
    agent: { problem: null, differs: [], notLoaded: [] },
  } as const;
  const tool = { version: "1.2.3", commit: "abc" };
  const origin = { format: 1, tool, time: "", lists: [], with: null, network: null, container: null } as const;
  const report = {
    origin,
    host: "h",
    forecasts: [],
    strays,
    lookedAt,
    leftOut: [],
    nomadSkipsCheck: undefined,
    unsaved: [],
  };
  const text = preflightJson(report);
  expect(JSON.parse(text).strays).toEqual({ namespaces: [], journals: ["/var/lib/cni/wrappers/blue/zone:eth0"] });
  expect(text).not.toContain("hunter2");
});

test("adopt --json names the journal that it would write", () => {
  const attachment = { file: "/f", network: "zone", containerId: "blue", runtimeIfName: "eth0" } as CachedAttachment;
  const proposal = { is: "adoptable", result: { cniVersion: "1.0.0" }, journal: memory } as const;
  const text = jsonOf([{ attachment, workload, proposal } as Case]);
  expect(JSON.parse(text)).toMatchObject([{ journal: "/var/lib/cni/wrappers/blue/zone:eth0", result: {} }]);
  expect(text).not.toContain("hunter2");
});
