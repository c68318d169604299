import { describe, expect, test } from "vitest";
import {
  checksumOf,
  type Entry,
  fromTheEnd,
  isHalfRemoved,
  isNowhere,
  type Journal,
  laterEntry,
  nowhere,
  ownEntry,
  type PluginIdentity,
} from "../../../shared/journal/journal.ts";
import { parseJournal } from "../../../shared/journal/lines.ts";
import { chainedOf, entryOf, tryOf, zoneOfBlue } from "../support/journals.ts";

test("entries are undone from the end, and a stray ADD's right before the one that it repeats", () => {
  const [flannel, sbr, portmap] = [entryOf({ type: "flannel" }), chainedOf("sbr"), chainedOf("portmap")];
  const strays = [flannel, portmap].map((entry) => ({ ...entry, id: `stray ${entry.type}`, stray: true as const }));
  const other = tryOf({ ifName: "eth1", stray: true });
  const order = fromTheEnd([flannel, sbr, portmap, ...strays, other]).map(({ id }) => id);
  expect(order).toEqual(["bridge eth1", "stray portmap", "portmap eth0", "sbr eth0", "stray flannel", "flannel eth0"]);
});

test("entries of equal plugins are undone from the end, too, and each stray ADD's right before the one of its interface", () => {
  const [first, second] = ["eth0", "eth1"].map((ifName) => chainedOf("tuning", { ifName }));
  const between = chainedOf("sbr");
  const again = chainedOf("tuning", { id: "again" });
  const stray = chainedOf("tuning", { id: "stray", ifName: "eth1", stray: true });
  const entries = [first, second, between, again, stray].filter((entry) => entry !== undefined);
  expect(fromTheEnd(entries).map(({ id }) => id)).toEqual(["again", "sbr eth0", "stray", "tuning eth1", "tuning eth0"]);
});

test("a journal without entries is of no DEL that was cut off", () => {
  expect(isHalfRemoved(parseJournal(zoneOfBlue))).toBe(false);
});

test("where there is no namespace, none of a device or an inode is meant", () => {
  const none = nowhere("/run/netns/gone");
  expect(none).toEqual({ path: "/run/netns/gone", device: -1, inode: -1 });
  expect([none, { ...none, inode: 0 }].map(isNowhere)).toEqual([true, false]);
});

function journalOf(...entries: Entry[]): Journal {
  return { file: "", key: zoneOfBlue, entries, isTorn: false };
}

function pluginOf(changes: Partial<PluginIdentity> & { sum?: string } = {}): PluginIdentity {
  const { sum = "0", ...rest } = changes;
  return { type: "bridge", role: "creator", ifName: "eth1", wrapper: { ifName: "eth1" }, checksum: () => sum, ...rest };
}

const eth0 = entryOf({ type: "macvlan" });
const eth1 = entryOf({ ifName: "eth1", checksum: "b" });
const portmap = { type: "portmap", role: "meta" } as const;
const some = chainedOf("portmap", { id: "some", ifName: "eth1", wrapper: { ifName: "eth1", ports: { only: [80] } } });
const rest = chainedOf("portmap", { id: "rest", ifName: "eth1", wrapper: { ifName: "eth1", ports: { except: [80] } } });

const gone = { ...eth0, isGivenUp: true, isUndone: true };
const ofSome = { ...portmap, wrapper: some.wrapper };
const edited = { ...some, id: "later", checksum: "x" };
const other = { ...some, id: "other", ifName: "eth3" };
const ofOther = { ...portmap, wrapper: {}, ifName: "eth3" };
const misspelled = { type: "brigde", role: undefined, sum: "b" };

test.each<[string, Partial<PluginIdentity> & { sum?: string }, Entry[], Entry | undefined]>([
  ["a creator's is the one with its interface", {}, [eth0, eth1], eth1],
  ["whatever its type and its block", { type: "ptp", wrapper: {}, sum: "x" }, [eth0, eth1], eth1],
  ["not that of a chained plugin", {}, [eth0, some], undefined],
  ["a chained plugin's has the whole block", { ...portmap, wrapper: rest.wrapper }, [some, rest], rest],
  ["wherever it stands", { ...portmap, wrapper: rest.wrapper }, [rest, some], rest],
  ["and the configuration", { ...portmap, wrapper: rest.wrapper, sum: "other" }, [some, rest], undefined],
  ["and its type", { ...portmap, type: "tuning", wrapper: rest.wrapper }, [some, rest], undefined],
  ["not a stray ADD's", {}, [eth1, { ...eth1, id: "later", stray: true, isGivenUp: true }], eth1],
  ["but one that is not undone", {}, [eth1, { ...eth1, id: "later", isUndone: true }], eth1],
])("on ADD: %s", (_, plugin, entries, expected) => {
  expect(ownEntry(journalOf(...entries), pluginOf(plugin))).toEqual(expected);
});

test.each<[string, Partial<PluginIdentity> & { sum?: string }, Entry[], Entry | undefined]>([
  ["not a stray ADD's", {}, [eth1, { ...eth1, id: "later", stray: true, isGivenUp: true }], eth1],
  ["another name: the same type and configuration", { ifName: "eth2", sum: "b" }, [eth0, eth1], eth1],
  ["another name and configuration: none", { ifName: "eth2", sum: "x" }, [eth0, eth1], undefined],
  ["two names were exchanged: the interface counts", { ifName: "eth0", sum: "b" }, [eth0, eth1], eth0],
  ["two names were exchanged, and the other one's DEL has passed", { ifName: "eth0", sum: "b" }, [gone, eth1], eth1],
  ["two of one block: the configuration counts, too", { ...ofSome, sum: some.checksum }, [some, edited], some],
  ["another block: the configuration counts", { ...portmap, wrapper: {}, ifName: "eth3" }, [some, rest], rest],
  ["another block and interface: the configuration counts first", { ...ofOther, sum: "x" }, [edited, other], edited],
  ["both: type and interface, the last of several", { ...portmap, wrapper: {}, sum: "x" }, [some, rest], rest],
  ["a misspelled plugin: interface and configuration", misspelled, [eth0, eth1], eth1],
  ["a misspelled plugin: no other interface", { ...misspelled, ifName: "eth2" }, [eth1], undefined],
  ["a known plugin takes no other type's", { ...portmap, type: "tuning", sum: "b" }, [eth1], undefined],
  ["an unknown plugin takes no creator's", { type: "mine", role: undefined, sum: "x" }, [eth0, eth1], undefined],
])("on CHECK and DEL, when the list was edited: %s", (_, plugin, entries, expected) => {
  expect(laterEntry(journalOf(...entries), pluginOf(plugin))).toEqual(expected);
});

describe("the checksum", () => {
  const listed = { type: "bridge", name: "zone", bridge: "br0", ipam: { type: "host-local" } };

  test("does not depend on the block, nor on what the runtime adds", () => {
    const given = { cniVersion: "1.0.0", prevResult: {}, runtimeConfig: { ips: [] }, "cni.dev/attachments": [] };
    expect(checksumOf({ ...listed, ...given, wrapper: { ifName: "eth1" } })).toBe(checksumOf(listed));
  });

  // FNV-1a of the text in the last column (draft-eastlake-fnv), computed with Python.
  test.each([
    [{}, "741638a5"], // []
    [{ bridge: "disc0" }, "213c543f"], // [["bridge","disc0"]]
    // [["bridge","br0"]]
  ])("of %j is %s", (configuration, expected) => {
    expect(checksumOf(configuration)).toBe(expected);
  });
});
