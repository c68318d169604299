import { expect, test } from "vitest";
import { append, hasGrown, type Undoing } from "../../../shared/delegate/undoing.ts";
import type { FileIdentity } from "../../../shared/host/host.ts";
import { Facts } from "../../../shared/journal/facts.ts";
import type { Entry } from "../../../shared/journal/journal.ts";
import { parseJournal } from "../../../shared/journal/lines.ts";
import { callWrapper, exits, type Machine, messagesOf, type Outcome, ownNamespace } from "../support/fake-host.ts";
import {
  appending,
  chainedOf,
  entryOf,
  factsOf,
  journal,
  journalFiles,
  undone,
  undoneLine,
  zoneOfBlue,
} from "../support/journals.ts";
import { blue } from "../support/requests.ts";

const valid = "cni.dev/valid-attachments";
const ofBlue = { containerID: "blue", ifname: "eth0" };
const here = { namespaces: { [blue]: ownNamespace } };
const gone = { namespace: { path: "/run/netns/gone", device: 4, inode: 1, changedMs: 0 } };

function collect(entries: readonly Entry[], more: object = { [valid]: [] }, machine: Machine = {}): Outcome {
  const stdin = { cniVersion: "1.1.0", name: "zone", ...more };
  const env = { CNI_COMMAND: "GC", CNI_CONTAINERID: "", CNI_NETNS: "", CNI_IFNAME: "" };
  return callWrapper({ stdin, env }, { files: journalFiles(...entries), ...machine });
}

function runsOf({ runs }: Outcome): string[] {
  return runs.map(({ path, env }) => `${path.slice(13)} ${env.CNI_COMMAND} ${env.CNI_CONTAINERID}`);
}

test("undoes what a sibling left because it was shared, in the namespace that this one has", () => {
  const there = { path: "/run/netns/there", device: 4, inode: 5, changedMs: 0 };
  const other = { network: "other", namespace: there, isGivenUp: true };
  const waiting = [
    chainedOf("portmap", { ...other, configuration: { type: "portmap", name: "other" } }),
    chainedOf("tuning", { ...other, ...gone, isUndone: true }),
  ];
  const machine = { namespaces: { [there.path]: 5 } };
  const { runs, files } = collect([entryOf(gone), ...waiting], undefined, machine);
  expect(runs.map(({ path, env }) => `${path.slice(13)} ${env.CNI_COMMAND} ${env.CNI_NETNS}`)).toEqual([
    "bridge DEL ",
    "portmap DEL /run/netns/there",
    "bridge GC ",
  ]);
  expect(files).toEqual({});
});

test.each([
  ["there but cannot be read: it may have another call's entry", { device: 1, inode: 7 }, true],
  ["gone", undefined, false],
])("whether a journal may have grown, if it is %s", (_, found, isKept) => {
  const host = { readFile: () => undefined, listDirectory: () => [], stat: () => found as FileIdentity | undefined };
  const undoing = { facts: new Facts(host), journal: parseJournal(zoneOfBlue) } as unknown as Undoing;
  expect(hasGrown(undoing, [])).toBe(isKept);
});

test("a journal has grown if it has an entry that nobody knows and that is not undone", () => {
  const isGrown = (...entries: Entry[]) => {
    const { facts } = factsOf(journalFiles(...entries));
    return hasGrown({ facts, journal: parseJournal(zoneOfBlue) } as unknown as Undoing, [entryOf()]);
  };
  const other = entryOf({ ifName: "eth1" });
  expect(isGrown(entryOf())).toBe(false);
  expect(isGrown(entryOf(), other)).toBe(true);
  expect(isGrown(entryOf(), { ...other, ...undone })).toBe(false);
});

test("nothing is written to a journal that is gone: the next ADD may have begun one", () => {
  const written: unknown[] = [];
  const session = { host: { appendJournal: (...given: unknown[]) => void written.push(given) } };
  const { facts } = factsOf({});
  append({ session, facts, journal: parseJournal(zoneOfBlue) } as unknown as Undoing, [{ line: "undone", id: "x" }]);
  expect([written, facts.read(journal)]).toEqual([[], undefined]);
});

test("an entry that its own call has undone meanwhile is not undone again", () => {
  const entries = [entryOf(gone), entryOf({ ...gone, ifName: "eth1" }), chainedOf("portmap", gone)];
  const line = undoneLine("bridge eth1");
  const meanwhile = appending((text) => (text.includes(line) ? undefined : line));
  const { runs, files } = collect(entries, undefined, { meanwhile });
  expect(runs.map(({ env }) => `${env.CNI_COMMAND} ${env.CNI_IFNAME}`)).toEqual(["DEL eth0", "DEL eth0", "GC "]);
  expect(files).toEqual({});
});

test("a journal goes on a full disk, too: its entries are known to be undone", () => {
  const entries = [entryOf(gone), chainedOf("portmap", gone)];
  expect(collect(entries, undefined, { writeProblem: "ENOSPC" }).files).toEqual({});
});

test("a journal that a newer version writes meanwhile stays", () => {
  const newer = Object.values(journalFiles(entryOf(gone)))[0]?.replace('"format":1', '"format":2');
  const meanwhile = (files: Map<string, unknown>) => files.set(journal, { text: newer, modifiedMs: 0 });
  const { files } = collect([entryOf(gone), chainedOf("portmap", gone)], undefined, { meanwhile });
  expect(files[journal]).toContain(newer);
});

test("a journal whose only line is damaged stays", () => {
  const text = '{"line":"began","format":1,"network":"zone","containerId":"blue","runtimeIfName":"eth0"}\n';
  expect(collect([], undefined, { files: { [journal]: text } }).files).toEqual({ [journal]: text });
});

test("an entry that is undone keeps nothing alive", () => {
  const runsBeside = (entry: Entry) => runsOf(collect([entry, chainedOf("portmap", gone)], undefined, here));
  expect(runsBeside(entryOf(undone))).toContain("portmap DEL blue");
  expect(runsBeside(entryOf())).toEqual(["bridge GC "]);
});

test.each<[string, readonly Entry[], NonNullable<Machine["answers"]>]>([
  ["the DEL of one of two entries fails", [entryOf(gone), chainedOf("portmap", gone)], [exits(0), exits(1)]],
  ["a DEL is killed", [entryOf(gone)], [{ ended: "signal", signal: "SIGKILL" }]],
])("a journal stays if %s, and GC still runs", (_, entries, answers) => {
  const outcome = collect(entries, undefined, { answers });
  expect(outcome.runs.at(-1)?.env.CNI_COMMAND).toBe("GC");
  expect(outcome.files[journal]).toContain("given up");
});

const noBootId = { files: { ...journalFiles(entryOf(gone)), "/proc/sys/kernel/random/boot_id": "" } };

test.each<[string, readonly Entry[], object | undefined, Machine]>([
  ["is valid", [entryOf(gone)], { [valid]: [ofBlue] }, {}],
  ["is of another network", [entryOf({ ...gone, network: "other" })], undefined, {}],
  ["has its namespace", [entryOf()], undefined, here],
  ["is not to be judged: there is no list", [entryOf(gone)], {}, {}],
  ["is not to be judged: the boot id is unknown", [], undefined, noBootId],
])("leaves a journal alone that %s", (_, entries, more, machine) => {
  expect(runsOf(collect(entries, more, machine))).toEqual(["bridge GC "]);
});

test.each([
  ["of an earlier boot, whose inode and time another namespace has now", { bootId: "earlier" }, 0],
  ["whose inode another namespace has now", {}, 5],
])("undoes one %s", (_, changes, changedMs) => {
  const entry = entryOf({ ...changes, namespace: { path: blue, device: 4, inode: ownNamespace, changedMs } });
  expect(runsOf(collect([entry], undefined, here))).toEqual(["bridge DEL blue", "bridge GC "]);
});

test.each<[string, object]>([
  ["the list has null", { [valid]: [null] }],
  ["its interface is an object", { [valid]: [{ containerID: "blue", ifname: { toString: "eth0" } }] }],
  ["its container is an object", { [valid]: [{ containerID: { toString: "blue" }, ifname: "eth0" }] }],
  ["the list is null", { [valid]: null }],
  ["only the list of libcni's first versions has it", { [valid]: [], "cni.dev/attachments": [ofBlue] }],
  ["the plugin has another network than the list", { [valid]: [], wrapper: { ifName: "eth1" } }],
])("undoes an attachment whose namespace is gone: %s", (_, more) => {
  expect(runsOf(collect([entryOf(gone)], more))).toEqual(["bridge DEL blue", "bridge GC "]);
});

test("the log names what GC removes", () => {
  const stdin = { cniVersion: "1.1.0", name: "zone", [valid]: [] };
  const env = { CNI_COMMAND: "GC", CNI_WRAPPERS_LOG: "/log", CNI_WRAPPERS_LOG_LEVEL: "warn" };
  const outcome = callWrapper({ stdin, env }, { files: journalFiles(entryOf(gone)) });
  expect(messagesOf(outcome)).toEqual(["blue is no longer valid and its namespace is gone: running DEL for eth0"]);
});

test("no interface is added for a call without one", () => {
  const listed = [ofBlue];
  const both = [...listed, { containerID: "red", ifname: "eth1" }];
  for (const list of [listed, both])
    expect(collect([], { [valid]: list }).runs).toMatchObject([{ stdin: { [valid]: list } }]);
});

test("what other lists have in the plugin's network is named, too: its IPAM plugin would free their leases", () => {
  const pool = { network: "other", delegateNetwork: "pool", ifName: "eth1" };
  const entries = [
    entryOf(pool),
    entryOf({ ...pool, containerId: "red", isGivenUp: true }),
    entryOf({ ...pool, containerId: "green", delegateNetwork: "other" }),
    entryOf({ network: "zone", containerId: "white", delegateNetwork: "pool" }),
  ];
  const more = { wrapper: { network: "pool" }, [valid]: [{ containerID: "white", ifname: "eth0" }] };
  const named = [...more[valid], { containerID: "blue", ifname: "eth1" }];
  expect(collect(entries, more).runs).toMatchObject([{ stdin: { name: "pool", [valid]: named } }]);
});

test("what other plugins of a valid attachment have in the plugin's network is named, too, and nothing twice", () => {
  const eth1 = { network: "zone", delegateNetwork: "zone", ifName: "eth1" };
  const entries = [
    entryOf({ ...eth1, containerId: "white" }),
    chainedOf("portmap", { ...eth1, containerId: "white" }),
    entryOf({ ...eth1, containerId: "red" }),
    entryOf({ ...eth1, containerId: "green", delegateNetwork: "zone-eth1" }),
  ];
  const listed = ["white", "green"].map((containerID) => ({ containerID, ifname: "eth0" }));
  const named = [...listed, { containerID: "white", ifname: "eth1" }];
  for (const given of [listed, named]) {
    const { runs } = collect(entries, { [valid]: given });
    expect(runs.at(-1)?.stdin).toMatchObject({ name: "zone", [valid]: named });
  }
});
