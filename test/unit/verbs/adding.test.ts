import { expect, test } from "vitest";
import type { Entry } from "../../../shared/journal/journal.ts";
import { callWrapper, exits } from "../support/fake-host.ts";
import { entryOf, journalFiles } from "../support/journals.ts";
import { blue } from "../support/requests.ts";
import { bridgeResult } from "../support/results.ts";

/** What ADD for eth1 says aloud after plugins that made these interfaces. */
function saidAfter(names: readonly string[] | undefined, plugin = "bridge", ...entries: readonly Entry[]): string {
  const prevResult = names && { cniVersion: "1.0.0", interfaces: names.map((name) => ({ name, sandbox: blue })) };
  const stdin = { cniVersion: "1.0.0", name: "zone", wrapper: { ifName: "eth1" }, prevResult };
  const machine = { answers: [exits(0, bridgeResult)], files: journalFiles(...entries) };
  return callWrapper({ calledAs: `/opt/cni/bin/${plugin}-wrapper`, stdin }, machine).stderr;
}

const consequence =
  "made by an unwrapped plugin: its CHECK will fail because of the other interfaces; " +
  'wrap every plugin that makes an interface ("type": "macvlan-wrapper")\n';

test("ADD warns of interfaces that unwrapped plugins have made", () => {
  expect(saidAfter(["eth0"])).toBe(`cni-wrappers: warning: interface eth0 was ${consequence}`);
  expect(saidAfter(["lo", "eth0", "eth2", "eth0"])).toBe(
    `cni-wrappers: warning: interfaces eth0, eth2 were ${consequence}`,
  );
  expect(saidAfter(["eth0", "eth2"], "bridge", entryOf())).toBe(
    `cni-wrappers: warning: interface eth2 was ${consequence}`,
  );
});

test.each<[string, readonly string[] | undefined, string?, Entry?]>([
  ["is first in its list", undefined],
  ["comes after loopback alone", ["lo"]],
  ["comes after a wrapped one", ["eth0"], "bridge", entryOf()],
  ["is chained", ["eth0", "eth1"], "tuning"],
])("ADD warns of nothing if the plugin %s", (_, names, plugin, ...entries) => {
  expect(saidAfter(names, plugin, ...entries.filter((entry) => entry !== undefined))).toBe("");
});
