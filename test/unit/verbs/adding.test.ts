import { expect, test } from "vitest";
import type { Entry } from "../../../shared/journal/journal.ts";
import { callWrapper, exits, type Machine, messagesOf } from "../support/fake-host.ts";
import { chainedOf, entriesIn, entryOf, journal, journalFiles } from "../support/journals.ts";
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
  const prevResult = { cniVersion: "1.0.0", interfaces: [{ name: "eth0", sandbox: blue }] };
  const stdin = { cniVersion: "1.0.0", name: "zone", wrapper: { ifName: "eth1" }, prevResult };
  const env = { CNI_WRAPPERS_LOG: "/log", CNI_WRAPPERS_LOG_LEVEL: "warn" };
  const outcome = callWrapper({ stdin, env }, { answers: [exits(0, bridgeResult)] });
  expect(messagesOf(outcome)).toEqual([`interface eth0 was ${consequence.trim()}`]);
  expect(saidAfter(["eth0"])).toBe(`cni-wrappers: warning: interface eth0 was ${consequence}`);
  expect(saidAfter(["lo", "eth0", "eth2", "eth0"])).toBe(
    `cni-wrappers: warning: interfaces eth0, eth2 were ${consequence}`,
  );
  expect(saidAfter(["eth0", "eth2"], "bridge", entryOf())).toBe(
    `cni-wrappers: warning: interface eth2 was ${consequence}`,
  );
});

/** The last entry of the journal after an ADD of a plugin, beside earlier entries. */
function entryAfter(plugin: string, stdin: object, earlier: readonly Entry[] = [], machine: Machine = {}) {
  const { files } = callWrapper(
    { calledAs: `/opt/cni/bin/${plugin}-wrapper`, stdin: { cniVersion: "1.0.0", name: "zone", ...stdin } },
    { answers: [exits(0, bridgeResult)], files: journalFiles(...earlier), links: [7], ...machine },
  );
  return entriesIn(files[journal]).at(-1);
}

const prevResult = { cniVersion: "1.0.0", interfaces: [{ name: "eth0", sandbox: blue }] };
const eth1 = { wrapper: { ifName: "eth1" } };
const undone = { isGivenUp: true, isUndone: true };
const added = [{ name: "vrf0", sandbox: blue }];

test.each<[string, true | undefined, string, object, Entry[]]>([
  ["without prevResult", true, "tuning", {}, []],
  ["that is chained", undefined, "tuning", { prevResult }, []],
  ["after an unwrapped plugin's interface", true, "bridge", { prevResult, ...eth1 }, []],
  ["after an interface that a wrapped one made", undefined, "bridge", { prevResult, ...eth1 }, [entryOf()]],
  ["after an interface whose entry is undone", true, "bridge", { prevResult, ...eth1 }, [entryOf(undone)]],
  [
    "after an interface that a wrapped one added besides its own",
    undefined,
    "bridge",
    { prevResult: { ...prevResult, interfaces: added }, ...eth1 },
    [chainedOf("vrf", { done: { addresses: [], added } })],
  ],
  ["after a plugin that reports no interface", undefined, "bridge", { prevResult: { cniVersion: "1.0.0" } }, []],
])("a try begins with a plugin %s: %j", (_, expected, plugin, stdin, earlier) => {
  const entry = entryAfter(plugin, stdin, earlier);
  expect(entry).toMatchObject({ type: plugin, isGivenUp: false, isUndone: false });
  expect(entry?.first).toBe(expected);
});

test.each([
  ["the list's network", "zone", '{"type":"bridge"}'],
  ["the network that wrapper.jq gives the plugin", "pool", '{"type":"bridge","name":"pool"}'],
])("an entry names %s", (_, expected, output) => {
  const entry = entryAfter("bridge", { wrapper: { jq: "." } }, [], { jq: () => ({ output }) });
  expect(entry?.delegateNetwork).toBe(expected);
});

test("an entry has the index of the interface that a plugin makes, and none of a chained plugin", () => {
  expect(entryAfter("bridge", {})).toMatchObject({ before: 7, done: { made: 7 } });
  const chained = entryAfter("tuning", { prevResult });
  expect([chained?.before, chained?.done?.made]).toEqual([undefined, undefined]);
  expect(chained?.done).toBeDefined();
});

test.each<[string, readonly string[] | undefined, string?, Entry?]>([
  ["is first in its list", undefined],
  ["comes after loopback alone", ["lo"]],
  ["comes after a wrapped one", ["eth0"], "bridge", entryOf()],
  ["comes after one that added an interface", ["eth0", "vrf0"], "bridge", entryOf({ done: { addresses: [], added } })],
  ["is chained", ["eth0", "eth1"], "tuning"],
])("ADD warns of nothing if the plugin %s", (_, names, plugin, ...entries) => {
  expect(saidAfter(names, plugin, ...entries.filter((entry) => entry !== undefined))).toBe("");
});
