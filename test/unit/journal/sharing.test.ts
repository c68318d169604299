import { describe, expect, test } from "vitest";
import { profiles } from "../../../plugins/index.ts";
import type { CachedResult } from "../../../shared/journal/host-files.ts";
import type { Entry, Namespace } from "../../../shared/journal/journal.ts";
import { type Around, holdsLease, removalOf } from "../../../shared/journal/sharing.ts";
import { profileOf } from "../../../shared/plugin/profile.ts";
import { bootId, ownNamespace } from "../support/fake-host.ts";
import { chainedOf, entryOf, tryOf } from "../support/journals.ts";
import { blue } from "../support/requests.ts";

const here: Namespace = { path: blue, device: 4, inode: ownNamespace, changedMs: 0 };
const other = { network: "other", runtimeIfName: "net1" };

function decide(entry: Entry, { link = 7, ...around }: Partial<Omit<Around, "link">> & { link?: number | "unknown" }) {
  return removalOf(entry, {
    namespace: here,
    bootId,
    siblings: [],
    earlier: [],
    profile: profileOf(entry.type, profiles),
    results: () => [],
    mayHaveLease: () => true,
    link: () => (link === "unknown" ? undefined : link),
    isThere: () => true,
    isTaken: () => false,
    ...around,
  });
}

function resultWith(name: string, sandbox = blue): CachedResult {
  const key = { network: "other", containerId: "blue", runtimeIfName: "net1" };
  return { file: "", key, result: {}, interfaces: [{ name, sandbox }] };
}

const everything = {
  do: "DEL",
  withNamespace: true,
  freesLease: true,
  keepsMasquerading: false,
  waits: false,
  addAgain: [],
};
const leaseOnly = { ...everything, withNamespace: false };
const interfaceOnly = { ...everything, freesLease: false };
const waiting = { ...interfaceOnly, waits: true };
const nothing = { do: "nothing" };

describe("an interface", () => {
  const claimed = { siblings: [entryOf({ ...other, delegateNetwork: "other" })] };
  const givenUp = { siblings: [entryOf({ ...other, delegateNetwork: "other", isGivenUp: true })] };
  const failedToo = { siblings: [tryOf({ ...other, delegateNetwork: "other" })] };

  test.each<[string, Entry, Parameters<typeof decide>[1], object]>([
    ["with the index of the entry is its own", entryOf(), {}, everything],
    ["with it is its own, whatever others say", entryOf(), claimed, everything],
    ["with another index is somebody else's", entryOf(), { link: 8 }, leaseOnly],
    ["with it, which another container has by now", entryOf(), { isTaken: () => true }, leaseOnly],
    ["that is gone: DEL looks for the rest in the namespace", entryOf(), { link: 0 }, everything],
    ["in another namespace is not looked for", entryOf(), { namespace: { ...here, inode: 1 } }, leaseOnly],
    [
      "in a namespace with the same inode, made later, is not",
      entryOf(),
      { namespace: { ...here, changedMs: 9 } },
      leaseOnly,
    ],
    ["without a namespace is not looked for", entryOf(), { namespace: undefined }, leaseOnly],
    ["of a failed ADD, new since then", tryOf(), {}, everything],
    ["of a failed ADD, which was there before", tryOf({ before: 7 }), {}, leaseOnly],
    ["of a failed ADD, if nobody looked before", tryOf({ before: undefined }), {}, leaseOnly],
    ["of a failed ADD, made after it", tryOf({ failed: { left: 0 } }), {}, leaseOnly],
    ["of a failed ADD, with the index of then", tryOf({ failed: { left: 7 } }), {}, everything],
    ["of a failed ADD, which replaced another one's", tryOf({ before: 6, failed: { left: 7 } }), {}, everything],
    [
      "of an ADD that found what its plugin's earlier one had made",
      tryOf({ before: 7, failed: { left: 7 } }),
      { earlier: [entryOf({ isGivenUp: true })] },
      everything,
    ],
    [
      "of an ADD that found what its plugin's earlier one may have made, which was cut off",
      tryOf({ before: 7, failed: { left: 7 } }),
      { earlier: [tryOf({ isGivenUp: true })] },
      everything,
    ],
    [
      "of an ADD that found what its plugin's earlier one left, which failed",
      tryOf({ before: 7, failed: { left: 7 } }),
      { earlier: [tryOf({ failed: { left: 7 } })] },
      everything,
    ],
    [
      "of an ADD that found something else than its plugin's earlier one had made",
      tryOf({ before: 7, failed: { left: 7 } }),
      { earlier: [entryOf({ isGivenUp: true, done: { made: 6, addresses: [] } })] },
      leaseOnly,
    ],
    [
      "of an ADD that found something else than its plugin's earlier one left, which failed",
      tryOf({ before: 7, failed: { left: 7 } }),
      { earlier: [tryOf({ failed: { left: 6 } })] },
      leaseOnly,
    ],
    [
      "of an ADD that found what its plugin's earlier one had made for another interface",
      tryOf({ before: 7, failed: { left: 7 } }),
      { earlier: [entryOf({ isGivenUp: true, ifName: "eth1" })] },
      leaseOnly,
    ],
    [
      "of an ADD that found what another plugin's earlier one had made",
      tryOf({ before: 7, failed: { left: 7 } }),
      { earlier: [entryOf({ isGivenUp: true, type: "ptp" })] },
      leaseOnly,
    ],
    [
      "of an ADD that found what was there before its plugin's earlier one, which failed",
      tryOf({ before: 7, failed: { left: 7 } }),
      { earlier: [tryOf({ before: 7, failed: { left: 7 } })] },
      leaseOnly,
    ],
    [
      "of a failed ADD, whose name another attachment's chained plugin has",
      tryOf(),
      { siblings: [chainedOf("firewall", { ...other, delegateNetwork: "other" })] },
      everything,
    ],
    ["of a failed ADD, if nobody can look", tryOf(), { link: "unknown" }, leaseOnly],
    [
      "with the index of the entry is its own, if it is an unknown plugin's, too",
      entryOf({ type: "mark" }),
      claimed,
      everything,
    ],
    ["of a failed ADD, which another attachment has", tryOf(), claimed, leaseOnly],
    ["of a failed ADD, which another one tried, too", tryOf(), failedToo, leaseOnly],
    [
      "of a failed ADD, whose name another attachment had for an interface with another index",
      tryOf({ failed: { left: 8 } }),
      { ...claimed, link: 8 },
      everything,
    ],
    ["of a failed ADD, which another attachment has, by its index", tryOf({ failed: { left: 7 } }), claimed, leaseOnly],
    [
      "of a failed ADD, whose name is of a further interface of another attachment",
      tryOf({ failed: { left: 8 } }),
      {
        siblings: [
          entryOf({
            ...other,
            ifName: "eth1",
            done: { made: 7, addresses: [], added: [{ name: "eth0", sandbox: blue }] },
          }),
        ],
        link: 8,
      },
      leaseOnly,
    ],
    [
      "of a failed ADD, which another attachment has, index unknown",
      tryOf({ failed: { left: 8 } }),
      { siblings: [entryOf({ ...other, done: { addresses: [] } })], link: 8 },
      leaseOnly,
    ],
    [
      "of an unknown plugin, which a sibling has by now: others of it wait for that",
      entryOf({ type: "twin" }),
      { siblings: [entryOf({ ...other, done: { made: 8, addresses: [] } })], link: 8 },
      { ...leaseOnly, waits: true },
    ],
    [
      "of a known plugin, which a sibling has by now: nothing waits",
      entryOf(),
      {
        siblings: [entryOf({ ...other, delegateNetwork: "other", done: { made: 8, addresses: [] } })],
        link: 8,
      },
      leaseOnly,
    ],
    ["of a failed ADD, which another result lists", tryOf(), { results: () => [resultWith("eth0")] }, leaseOnly],
    [
      "of an unknown plugin's ADD, gone since: there may be others of it",
      tryOf({ type: "twin" }),
      { link: 0 },
      everything,
    ],
    ["of a known plugin's ADD that was cut off, gone since", tryOf(), { link: 0 }, leaseOnly],
    ["of a failed ADD, which left it, gone since", tryOf({ failed: { left: 7 } }), { link: 0 }, everything],
    [
      "of a failed ADD, which left it, and it cannot be looked up now",
      tryOf({ failed: { left: 7 } }),
      { link: "unknown" },
      leaseOnly,
    ],
    [
      "of an unknown plugin's ADD that was cut off, and somebody's interface has its name since",
      tryOf({ type: "twin", before: 7 }),
      {},
      leaseOnly,
    ],
    [
      "of an unknown plugin's ADD, gone since, and another attachment has the name",
      tryOf({ type: "twin" }),
      { ...claimed, link: 0 },
      leaseOnly,
    ],
    [
      "of a failed ADD, listed in another sandbox",
      tryOf(),
      { results: () => [resultWith("eth0", "/elsewhere")] },
      everything,
    ],
    ["of unknown index, if nobody else has one", entryOf({ done: { addresses: [] } }), {}, everything],
    ["of unknown index, which another attachment has", entryOf({ done: { addresses: [] } }), claimed, leaseOnly],
    [
      "of an attachment without an entry, which another one's ADD may be making",
      entryOf({ id: "", done: { addresses: [] } }),
      failedToo,
      leaseOnly,
    ],
    ["of unknown index, which another one only tried", entryOf({ done: { addresses: [] } }), failedToo, everything],
    ["that cannot be looked up now", entryOf(), { link: "unknown" }, everything],
    ["that cannot be, and whose name another one has", entryOf(), { ...claimed, link: "unknown" }, leaseOnly],
    ["of a failed ADD, with another index since", tryOf({ failed: { left: 7 } }), { link: 8 }, leaseOnly],
    ["of a failed ADD, which another one had that is given up", tryOf(), givenUp, everything],
    ["of a failed ADD, if another result lists others", tryOf(), { results: () => [resultWith("eth5")] }, everything],
  ])("%s", (_, entry, around, expected) => {
    expect(decide(entry, around)).toMatchObject(expected);
  });
});

describe("a lease", () => {
  const same = entryOf({ ...other, delegateNetwork: "zone" });
  const up = { isGivenUp: true };

  test.each([
    ["that stands", {}, true],
    ["that is given up", up, false],
  ])("is held by an entry %s: %j", (_, more, isHeld) => {
    expect(holdsLease({ ...same, ...more }, { ...entryOf(), isThere: () => true })).toBe(isHeld);
  });

  test.each<[string, Entry, Parameters<typeof decide>[1], object]>([
    ["with the same network and interface stays", entryOf(), { siblings: [same] }, interfaceOnly],
    [
      "of another IPAM plugin is freed",
      entryOf({ configuration: { ipam: { type: "dhcp" } } }),
      { siblings: [{ ...same, configuration: { ipam: { type: "host-local" } } }] },
      everything,
    ],
    ["of another interface is freed", entryOf(), { siblings: [{ ...same, ifName: "eth1" }] }, everything],
    [
      "of an undone entry is freed",
      entryOf(),
      { siblings: [{ ...same, isGivenUp: true, isUndone: true }] },
      everything,
    ],
    [
      "of a failed ADD does not keep one that passed",
      entryOf(),
      { siblings: [{ ...same, done: undefined, failed: {} }] },
      everything,
    ],
    [
      "of an ADD that an earlier boot cut off goes",
      entryOf(),
      { siblings: [{ ...same, done: undefined, bootId: "old" }] },
      everything,
    ],
    ["of an ADD that was given up is free", entryOf(), { siblings: [{ ...same, done: undefined, ...up }] }, everything],
    ["is no chained plugin's", entryOf(), { siblings: [{ ...same, role: "meta" }] }, everything],
    [
      "of another interface that libcni knows is free",
      tryOf({ delegateNetwork: "other" }),
      { results: () => [resultWith("eth5")] },
      everything,
    ],
    [
      "of one of two interfaces that libcni knows stays",
      tryOf({ delegateNetwork: "other" }),
      {
        results: () => [
          { ...resultWith("eth0"), interfaces: ["eth5", "eth0"].map((name) => ({ name, sandbox: blue })) },
        ],
      },
      nothing,
    ],
    [
      "of an ADD that still runs waits for it: that may fail, or be refused",
      entryOf(),
      { siblings: [{ ...same, done: undefined }] },
      waiting,
    ],
    ["of a failed ADD does not", tryOf({ failed: { left: 7 } }), { siblings: [{ ...same, done: undefined }] }, nothing],
    ["of an unknown plugin, which may have others, waits", entryOf({ type: "twin" }), { siblings: [same] }, waiting],
    [
      "of an interface that is gone waits for an ADD that still runs",
      entryOf(),
      { namespace: undefined, siblings: [{ ...same, done: undefined }] },
      { do: "later" },
    ],
    [
      "of an interface that is gone stays with one that passed, beside an ADD that still runs",
      entryOf(),
      { namespace: undefined, siblings: [same, { ...same, done: undefined }] },
      nothing,
    ],
    [
      "of an ADD that was cut off, and whose namespace is gone, is free",
      entryOf(),
      { siblings: [{ ...same, done: undefined }], isThere: () => false },
      everything,
    ],
    [
      "of an attachment whose namespace is gone stays with it: its runtime may add it again",
      entryOf(),
      { siblings: [same], isThere: () => false },
      interfaceOnly,
    ],
    [
      "of a failed ADD stays with the one that passed, and so does the interface",
      tryOf(),
      { siblings: [same] },
      nothing,
    ],
    [
      "of an ADD that was cut off waits for one that still runs",
      tryOf(),
      { siblings: [{ ...same, done: undefined }] },
      { do: "later" },
    ],
    [
      "of a failed ADD stays with one that still runs",
      tryOf({ failed: { left: 0 } }),
      { siblings: [{ ...same, done: undefined }] },
      nothing,
    ],
    [
      "of an interface that was replaced goes, whatever libcni knows of others: the index said whose it was",
      entryOf({ delegateNetwork: "other" }),
      { link: 8, results: () => [resultWith("eth0")] },
      leaseOnly,
    ],
    [
      "of an attachment that only libcni knows",
      tryOf({ delegateNetwork: "other" }),
      { results: () => [resultWith("eth0")] },
      nothing,
    ],
    [
      "goes if the result of an attachment that only libcni knows lists another address",
      tryOf({ delegateNetwork: "other" }),
      { results: () => [resultWith("eth0")], mayHaveLease: () => false },
      leaseOnly,
    ],
  ])("%s", (_, entry, around, expected) => {
    expect(decide(entry, around)).toMatchObject(expected);
  });
});

describe("masquerading", () => {
  const masqueraded = { configuration: { type: "bridge", name: "zone", ipMasq: true } };
  const own = entryOf(masqueraded);
  const sibling = entryOf({ ...other, ...masqueraded, delegateNetwork: "zone", ifName: "eth9" });
  const old = { bootId: "old" };

  test.each<[string, Entry, Entry, boolean]>([
    ["stays with a sibling in the same network", own, sibling, true],
    ["stays if Go reads the key so", own, { ...sibling, configuration: { IPMASQ: true } }, true],
    ["goes without one", own, { ...sibling, delegateNetwork: "other" }, false],
    ["goes if the sibling masquerades nothing", own, { ...sibling, configuration: {} }, false],
    ["goes if the sibling is a chained plugin", own, { ...sibling, role: "meta" }, false],
    ["goes if the sibling failed", own, { ...sibling, done: undefined, failed: {} }, false],
    ["goes if the sibling is given up", own, { ...sibling, isGivenUp: true }, false],
    ["goes if the sibling is of an earlier boot", own, { ...sibling, ...old }, false],
    ["of an earlier boot is gone", { ...own, ...old }, { ...sibling, ...old }, false],
    ["of a plugin without it is none", entryOf({ configuration: {} }), sibling, false],
    ["of an unknown plugin is its own", { ...own, type: "unknown" }, sibling, false],
  ])("%s", (_, entry, one, expected) => {
    expect(decide(entry, { siblings: [one] })).toMatchObject({ keepsMasquerading: expected, waits: expected });
  });
});

describe("the rules of macspoofchk", () => {
  const configuration = { type: "bridge", name: "other", macspoofchk: true };
  const sibling = entryOf({ ...other, delegateNetwork: "other", configuration });

  test.each<[string, Entry, true | undefined]>([
    ["stay with a sibling that has them for the same name", sibling, true],
    ["stay if Go reads the key so", { ...sibling, configuration: { MacSpoofChk: true } }, true],
    ["go without one", { ...sibling, configuration: { macspoofchk: false } }, undefined],
    ["go if the sibling's interface has another name", { ...sibling, ifName: "eth9" }, undefined],
    ["go if the sibling is a chained plugin", { ...sibling, role: "meta" }, undefined],
    ["go if the sibling failed", { ...sibling, done: undefined, failed: {} }, undefined],
    ["go if the sibling is given up", { ...sibling, isGivenUp: true }, undefined],
  ])("%s", (_, one, expected) => {
    const removal = decide(tryOf(), { siblings: [one], link: 0 });
    expect(removal).toMatchObject({ do: "DEL" });
    expect("keepsSpoofCheck" in removal ? removal.keepsSpoofCheck : undefined).toBe(expected);
  });
});

test.each<[string, Partial<Entry>, boolean]>([
  ["passed", { done: { addresses: [] } }, true],
  ["failed after it had an address", { failed: { left: 7, addresses: ["10.1.0.2/24"] } }, true],
  ["failed without one", { failed: { left: 7, addresses: [] } }, false],
  ["failed, and nobody looked", { failed: { left: 7 } }, false],
  ["was cut off", {}, true],
])("an ADD that %s waits for the rules that a sibling masquerades by: %s", (_, changes, waits) => {
  const masqueraded = { configuration: { type: "bridge", name: "zone", ipMasq: true } };
  const sibling = entryOf({ ...other, ...masqueraded, delegateNetwork: "zone", ifName: "eth9" });
  expect(decide(tryOf({ ...masqueraded, ...changes }), { siblings: [sibling] })).toMatchObject({ waits });
});

describe("the DEL of an entry whose interface and lease are a sibling's, for its masquerading", () => {
  const configuration = { type: "bridge", name: "zone", ipMasq: true };
  const sibling = entryOf({ ...other, delegateNetwork: "zone", done: { made: 8, addresses: [] } });

  test.each<[string, Entry, Entry, string]>([
    ["runs if it passed", entryOf({ configuration }), { ...sibling, configuration }, "DEL"],
    ["runs if it passed, and the sibling has no rules", entryOf({ configuration }), sibling, "DEL"],
    ["runs if it failed, and the sibling has no rules", tryOf({ configuration }), sibling, "DEL"],
    [
      "does not run if it failed, and the sibling has rules",
      tryOf({ configuration }),
      { ...sibling, configuration },
      "nothing",
    ],
    [
      "runs if it failed after it had an address, and the sibling has rules",
      tryOf({ configuration, failed: { left: 7, addresses: ["10.1.0.2/24"] } }),
      { ...sibling, configuration },
      "DEL",
    ],
    ["does not run without masquerading", entryOf(), sibling, "nothing"],
  ])("%s", (_, entry, one, expected) => {
    expect(decide(entry, { siblings: [one], link: 8 })).toMatchObject({ do: expected });
  });
});

describe("a chained plugin's DEL gets the namespace", () => {
  const madeBy = (made: number | undefined, runtimeIfName = "net1") =>
    entryOf({ ...other, runtimeIfName, done: { ...(made !== undefined && { made }), addresses: [] } });

  test.each<[string, Entry[], number | "unknown", boolean]>([
    ["unless another attachment made the interface", [madeBy(8)], 8, false],
    ["unless one of two did", [madeBy(9), madeBy(8, "net2")], 8, false],
    ["if another one made another", [madeBy(9)], 8, true],
    ["if nobody knows which one it is", [madeBy(undefined)], "unknown", true],
    ["if the other one is given up", [{ ...madeBy(8), isGivenUp: true }], 8, true],
    ["if the other one's ADD failed", [tryOf({ ...other, failed: { left: 8 } })], 8, true],
  ])("%s", (_, siblings, link, withNamespace) => {
    expect(decide(chainedOf("tuning"), { siblings, link })).toMatchObject({ withNamespace });
  });
});

test.each<[string, Partial<Entry>, object]>([
  ["found the interface and left it", { before: 7, failed: { left: 7 } }, everything],
  ["left none", { before: 0, failed: { left: 0 } }, everything],
  ["left the same one: no attachment uses it", { before: 6, failed: { left: 7 } }, everything],
  ["may have made it", { before: 0 }, leaseOnly],
  ["found it, and still runs", { before: 7 }, everything],
  ["passed, though there was one before", { before: 7, done: { addresses: [] } }, leaseOnly],
  ["was in another namespace", { before: 0, namespace: { ...here, inode: 1 } }, everything],
])("a failed ADD's interface is its own if a sibling's ADD %s", (_, changes, expected) => {
  expect(decide(tryOf(), { siblings: [tryOf({ ...other, delegateNetwork: "other", ...changes })] })).toEqual(expected);
});

describe("what a chained plugin leaves", () => {
  test("a sibling's ADD that still runs is run again: it may have published its ports already", () => {
    const siblings = [chainedOf("portmap", { ...other, done: undefined })];
    expect(decide(chainedOf("portmap"), { siblings })).toEqual({ ...everything, addAgain: siblings });
  });

  test.each([
    ["tuning", everything],
    ["unknown", { do: "later" }],
  ])("%s, and the sibling is of an earlier boot", (type, expected) => {
    expect(decide(chainedOf(type), { siblings: [chainedOf(type, { ...other, bootId: "old" })] })).toEqual(expected);
  });

  const failed = { done: undefined };
  const rows: [string, Partial<Entry>, boolean][] = [
    ["portmap", {}, true],
    ["portmap", { delegateNetwork: "other", ifName: "eth1" }, true],
    ["bandwidth", { delegateNetwork: "zone" }, true],
    ["bandwidth", { delegateNetwork: "other" }, false],
    ["tuning", { ifName: "eth0" }, true],
    ["tuning", { ifName: "eth1" }, false],
    ["firewall", {}, false],
    ["unknown", { ifName: "eth1" }, true],
  ];

  test.each(rows)("%s with %j has one name with the other: %s", (type, changes, isShared) => {
    const siblings = [chainedOf(type, { ...other, ...changes })];
    expect(decide(chainedOf(type, failed), { siblings })).toMatchObject(isShared ? { do: "later" } : everything);
    expect(decide(chainedOf(type, failed), { siblings: [chainedOf("other", { ...other, ...changes })] })).toMatchObject(
      everything,
    );
  });

  test("portmap passed: its DEL runs, and the other's ADD again", () => {
    const siblings = [chainedOf("portmap", other)];
    expect(decide(chainedOf("portmap"), { siblings })).toEqual({ ...everything, addAgain: siblings });
  });

  test("the other's namespace is gone: its rules are of no use, and do not keep what a failed ADD left", () => {
    const around = { siblings: [chainedOf("portmap", other)], isThere: () => false };
    expect(decide(chainedOf("portmap", failed), around)).toEqual(everything);
    expect(decide(chainedOf("unknown", failed), { ...around, siblings: [chainedOf("unknown", other)] })).toEqual({
      do: "later",
    });
  });

  test("another one passed: the last one's undo removes both", () => {
    expect(decide(chainedOf("tuning"), { siblings: [chainedOf("tuning", other)] })).toEqual({ do: "later" });
    expect(decide(chainedOf("unknown"), { siblings: [chainedOf("unknown", other)] })).toEqual({ do: "later" });
  });

  test("the other's ADD failed: it holds nothing against one that passed", () => {
    expect(
      decide(chainedOf("tuning"), { siblings: [chainedOf("tuning", { ...other, ...failed, failed: {} })] }),
    ).toEqual(everything);
  });

  test("its interface is another attachment's by now: DEL gets no namespace", () => {
    const siblings = [entryOf({ ...other, done: { made: 7, addresses: [] } })];
    expect(decide(chainedOf("tuning"), { siblings })).toEqual(leaseOnly);
    expect(decide(chainedOf("tuning"), { siblings, link: 9 })).toEqual(everything);
    const running = { siblings: [tryOf(other)], isTaken: () => true };
    expect(decide(chainedOf("tuning"), running)).toEqual(leaseOnly);
  });

  test.each(["sbr", "vrf"])("%s leaves nothing outside of the namespace", (type) => {
    expect(decide(chainedOf(type), {})).toEqual(everything);
    const why = "all that it left was in the namespace";
    expect(decide(chainedOf(type), { namespace: undefined })).toEqual({ do: "nothing", why });
  });
});

describe("what is named by the interface", () => {
  const sibling = chainedOf("tuning", other);
  test("is shared within a namespace", () => {
    expect(decide(chainedOf("tuning"), { siblings: [sibling] })).toEqual({ do: "later" });
    const elsewhere = { ...sibling, namespace: { ...here, inode: 1 } };
    expect(decide(chainedOf("tuning"), { siblings: [elsewhere] })).toMatchObject(everything);
  });
});

describe("an unknown plugin that was first in its list", () => {
  const first = tryOf({ type: "mark" });
  test("is a chained one if another attachment says so", () => {
    expect(decide(first, { siblings: [chainedOf("mark", other)] })).toEqual({ do: "later" });
    // A chained one would get the namespace.
    const found = { ...first, before: 7 };
    expect(decide(found, { siblings: [chainedOf("other", other)] })).toEqual(leaseOnly);
    expect(decide(found, { siblings: [entryOf({ ...other, type: "mark", ifName: "net1" })] })).toEqual(leaseOnly);
    // A known plugin's role does not depend on what a journal says.
    expect(decide(tryOf({ before: 7 }), { siblings: [chainedOf("bridge", other)] })).toEqual(leaseOnly);
  });
});
