import { describe, expect, test } from "vitest";
import type { Entry, Journal, Namespace } from "../../../shared/journal/journal.ts";
import { lentAddresses, type Present, recoveryOf } from "../../../shared/journal/recovery-table.ts";
import { bootId, ownNamespace } from "../support/fake-host.ts";
import { chainedOf, entryOf, tryOf, zoneOfBlue } from "../support/journals.ts";
import { blue } from "../support/requests.ts";

const here: Namespace = { path: blue, device: 4, inode: ownNamespace, changedMs: 0 };
const elsewhere: Namespace = { ...here, inode: 7 };

function journalOf(...entries: Entry[]): Journal {
  return { file: "", key: zoneOfBlue, entries, isTorn: false };
}

function presentOf(changes: Partial<Present> = {}): Present {
  return { bootId, uptime: 1000, mode: "own", namespace: here, resultMs: undefined, isThere: () => true, ...changes };
}

const gone = { isThere: () => false };
const complete = { resultMs: 5 };
const undone = { isGivenUp: true, isUndone: true };
const old = { bootId: "old" };

/** What is done about a plugin's journal. */
function recover(entries: readonly Entry[], own: Entry | undefined, earlier?: string[], changes?: Partial<Present>) {
  return recoveryOf(journalOf(...entries), { own, earlier }, presentOf(changes));
}

describe("the table of docs/behavior.md", () => {
  const away = entryOf({ namespace: elsewhere });
  const long = { uptime: 50 };
  const eth1 = { ifName: "eth1" };
  const failed = tryOf({ ...long, ...eth1, failed: {} });
  const undoneEth1 = entryOf({ ...eth1, ...undone });
  const stray = { stray: true, isGivenUp: true } as const;
  const strayed = tryOf({ ...stray, failed: {} });
  const awayFailed = tryOf({ namespace: elsewhere, failed: {} });
  const [oldUndone, left] = [entryOf({ ...old, ...undone, uptime: 5000 }), chainedOf("mark", { isGivenUp: true })];
  const [inUse, unfinished] = ["add, then write", "not complete"];

  type Row = [string, Entry[], Partial<Present>, string];
  function judge(_: string, entries: readonly Entry[], changes: Partial<Present>, expected: string): void {
    const recovery = recover(entries, entries.at(-1), undefined, changes);
    const isUndo = !expected.startsWith("add");
    const left = entries.filter(({ isUndone }) => !isUndone);
    expect(recovery).toEqual(isUndo ? { do: "undo, then add", because: expected, entries: left } : { do: expected });
  }

  test.each<Row>([
    ["no entry", [], {}, "add"],
    ["no entry, and a result of something else", [], complete, inUse],
    ["an earlier boot", [entryOf(old)], complete, "of an earlier boot"],
    ["a namespace that is gone", [away], { ...complete, ...gone }, "its namespace is gone"],
    ["another namespace that is still there", [away], {}, inUse],
    ["another namespace that is still there, and the ADD failed", [awayFailed], {}, unfinished],
    ["a stray one alone, given up", [tryOf(stray)], complete, unfinished],
    ["all undone", [entryOf(undone)], {}, "add"],
    ["one that may be in use, and one of an earlier boot", [entryOf(old), away], {}, inUse],
    ["always: in use", [entryOf()], { ...complete, mode: "always" }, "recover is always"],
    ["always: not complete", [entryOf()], { mode: "always" }, unfinished],
    ["never: not complete", [entryOf()], { mode: "never" }, inUse],
  ])("%s: %s", judge);

  test.each<Row>([
    ["16 minutes old, and a later uptime of an earlier boot", [oldUndone, entryOf({ uptime: 40 })], {}, inUse],
    ["a failed try", [entryOf(), tryOf(eth1)], {}, unfinished],
    ["and libcni has a result since", [entryOf()], complete, inUse],
    ["the same, and the clock was set back meanwhile", [entryOf({ resultMs: 9 })], complete, inUse],
    ["and libcni has the result of before", [entryOf({ resultMs: 5 })], complete, unfinished],
    ["15 minutes old, and cut off", [entryOf({ uptime: 90, done: undefined })], {}, unfinished],
    ["it passed 15 minutes ago", [entryOf({ uptime: 90 })], {}, inUse],
    ["15 minutes old, and the last plugin failed", [entryOf(long), failed], {}, unfinished],
    ["libcni has a result since, and a DEL was cut off", [entryOf(), undoneEth1], complete, unfinished],
    ["libcni has a result since, and a DEL left what a sibling shares", [entryOf(), left], complete, unfinished],
    ["libcni has a result since, and what an earlier try left is undone", [undoneEth1, entryOf()], complete, inUse],
    ["15 minutes old, and what failed was given up", [{ ...failed, isGivenUp: true }, entryOf(long)], {}, inUse],
    ["it passed 15 minutes ago, and a stray one has failed since", [entryOf({ uptime: 90 }), strayed], {}, inUse],
    ["and libcni's result is gone since", [entryOf({ resultMs: 5 })], {}, unfinished],
    ["it passed just 15 minutes ago", [entryOf({ uptime: 100 })], {}, unfinished],
    ["one plugin passed long ago and one now", [entryOf(long), entryOf(eth1)], {}, unfinished],
  ])("this namespace, %s: %s", judge);
});

test.each<[string, Entry, string]>([
  ["an earlier plugin of this try has an entry: it adds", entryOf({ resultMs: 5 }), "add"],
  ["an earlier plugin's entry is older than the result", entryOf({ resultMs: 4 }), "add, then write"],
  ["an earlier plugin's entry is given up", entryOf({ resultMs: 5, isGivenUp: true }), "add, then write"],
  ["an earlier plugin's entry is of another boot", entryOf({ resultMs: 5, bootId: "old" }), "add, then write"],
  ["... of another namespace", entryOf({ resultMs: 5, namespace: elsewhere }), "add, then write"],
])("a result of libcni's, and no entry of the plugin's own: %s", (_, entry, expected) => {
  expect(recover([entry], undefined, ["eth0"], complete).do).toBe(expected);
});

describe("the entries that are given up", () => {
  const [first, second, third] = [entryOf(), tryOf({ ifName: "eth1" }), chainedOf("tuning", { ifName: "eth1" })];

  test.each<[string, Partial<Entry>, number]>([
    ["is of the next try if its interface is in prevResult", {}, 1],
    ["is of this one if its interface is not", { ifName: "eth2" }, 2],
    ["is of this one if it has not passed", { done: undefined }, 2],
    ["is of this one if it is a chained plugin's", { role: "meta" }, 2],
  ])("what came after the own one %s", (_, changes, count) => {
    const own = entryOf({ ifName: "eth1" });
    expect(recover([own, entryOf(changes)], own, ["eth0", "eth1"])).toHaveProperty("entries.length", count);
  });

  test("are not what stands after one that is given up", () => {
    const given = { ...second, ...undone };
    const last = { ...third, id: "new" };
    expect(recover([third, given, last], third, [])).toMatchObject({ entries: [third] });
  });

  describe("with an own one of this try, because an equal plugin stands before this one in the list", () => {
    const began = entryOf({ first: true });
    const [twin, later] = [chainedOf("firewall"), chainedOf("sbr")];
    const entriesOf = (entries: readonly Entry[], changes: Partial<Present> = {}, earlier = ["eth0"]) => {
      const own = entries.find(({ type }) => type === "firewall");
      const recovery = recover(entries, own, earlier, changes);
      return recovery.do === "undo, then add" ? recovery.entries.length : recovery.do;
    };

    test("are none: the try began with a wrapper before it", () => {
      expect(entriesOf([began, twin, later])).toBe("add");
      expect(entriesOf([entryOf(), began, twin, later])).toBe("add");
      const ofTry = [began, twin, later].map((entry) => ({ ...entry, resultMs: 5 }));
      expect(entriesOf([entryOf({ ifName: "eth1", resultMs: 4 }), ...ofTry], complete)).toBe("add");
    });

    test("are none: a creator before the two, or between them, was undone and has added with another address", () => {
      const before = tryOf({ ifName: "eth1", ...undone });
      expect(entriesOf([began, before, entryOf({ ifName: "eth1" }), twin, later])).toBe("add");
      expect(entriesOf([began, twin, before, entryOf({ ifName: "eth1" }), later])).toBe("add");
    });

    test.each<[string, readonly Entry[], string[]?]>([
      ["the try began with no wrapper", [entryOf(), twin, later]],
      ["... with one that did not pass", [entryOf({ first: true, done: undefined }), twin, later]],
      ["... with one whose interface is not in prevResult", [began, twin, later], ["eth5"]],
      ["... with one that is given up", [entryOf({ first: true, isGivenUp: true }), twin, later]],
      ["it did not pass", [began, chainedOf("firewall", { done: undefined })]],
    ])("are the usual ones if %s", (_, entries, earlier = ["eth0"]) => {
      expect(entriesOf(entries, {}, earlier)).not.toBe("add");
    });

    test("are the usual ones if the try is not this one: it has a result, another boot or another namespace", () => {
      expect(entriesOf([began, twin, later], complete)).toBe("add, then write");
      expect(entriesOf([began, twin, later], { bootId: "new" })).toBe(2);
      expect(entriesOf([began, twin, later], { namespace: elsewhere, ...gone })).toBe(2);
    });
  });

  test("are only those given up already, after an own one that is", () => {
    const own = { ...second, isGivenUp: true };
    expect(recover([own, first], own, ["eth0"])).toMatchObject({ do: "undo, then add", entries: [own] });
  });
});

describe("the addresses that an entry lends", () => {
  const addresses = ["10.1.0.2/24"];
  const givenUp = { isGivenUp: true };
  const others = { addresses, othersWillDo: true };
  const noOthers = { addresses, othersWillDo: false };
  const none = { addresses: [], othersWillDo: true };
  const ofMark = chainedOf("mark", { ...undone, done: { addresses: ["10.9.0.2/24"] } });

  test.each<[string, Entry[], object]>([
    ["of an undone one", [entryOf(undone)], others],
    ["of a standing one: none", [entryOf()], none],
    ["of another interface: none", [entryOf({ ...undone, ifName: "eth1" })], none],
    ["of a failed one: those that it asked for", [tryOf({ ...undone, asked: addresses })], others],
    ["of the last one that had some", [entryOf(undone), tryOf({ ...undone, id: "2" })], others],
    ["of a creator, not of a chained plugin after it", [entryOf(undone), ofMark], others],
    ["of one whose DEL failed: no others", [entryOf(givenUp)], noOthers],
    ["while another DEL failed: no others", [entryOf(undone), chainedOf("portmap", givenUp)], noOthers],
    ["while something stands that is not given up: others will do", [entryOf(undone), chainedOf("portmap")], others],
    ["of an earlier boot: others will do", [entryOf({ ...givenUp, ...old })], others],
  ])("%s", (_, entries, expected) => {
    expect(lentAddresses(journalOf(...entries), "eth0", bootId)).toEqual(expected);
  });
});

test("what a stray ADD left stays beside what something else may have attached, until DEL", () => {
  const stray = tryOf({ stray: true, isGivenUp: true, failed: {} });
  const done = (entry: Entry, changes: Partial<Present>) => recover([entry], undefined, undefined, changes).do;
  expect(done(stray, complete)).toBe("add, then write");
  expect(done(stray, {})).toBe("undo, then add");
  expect(done(entryOf({ ifName: "eth1" }), { ...complete, bootId: "new" })).toBe("undo, then add");
});
