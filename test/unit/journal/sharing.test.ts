import { describe, expect, test } from "vitest";
import { profiles } from "../../../plugins/index.ts";
import type { CachedResult } from "../../../shared/journal/host-files.ts";
import type { Entry, Namespace } from "../../../shared/journal/journal.ts";
import { type Around, removalOf } from "../../../shared/journal/sharing.ts";
import { profileOf } from "../../../shared/plugin/profile.ts";
import { bootId, ownNamespace } from "../support/fake-host.ts";
import { chainedOf, entryOf, everything, leaseOnly, tryOf } from "../support/journals.ts";
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
    hasProgram: () => false,
    ...around,
  });
}

function resultWith(name: string, sandbox = blue): CachedResult {
  const key = { network: "other", containerId: "blue", runtimeIfName: "net1" };
  return { file: "", key, result: {}, interfaces: [{ name, sandbox }] };
}

const interfaceOnly = { ...everything, freesLease: false };
const waiting = { ...interfaceOnly, waits: true };
const nothing = { do: "nothing" };

const own = entryOf();
/** The entry of an ADD that left an interface with an index. */
const leftBy = (left: number, changes: Partial<Entry> = {}) => tryOf({ ...changes, failed: { left } });

describe("an interface", () => {
  const attachment = { ...other, delegateNetwork: "other" };
  const claimed = { siblings: [entryOf(attachment)] };
  const givenUp = { siblings: [entryOf({ ...attachment, isGivenUp: true })] };
  const failedToo = { siblings: [tryOf(attachment)] };
  const anyIndex = entryOf({ done: { addresses: [] } });
  const madeBy = (changes: Partial<Entry>) => ({ siblings: [entryOf({ ...other, ...changes })], link: 8 });
  const madeBefore = { siblings: [entryOf({ ...attachment, done: { made: 6, addresses: [] } })] };
  const listed = (...result: Parameters<typeof resultWith>) => ({ results: () => [resultWith(...result)] });

  const chained = { siblings: [chainedOf("firewall", attachment)] };
  const further = madeBy({
    ifName: "eth1",
    done: { made: 7, addresses: [], added: [{ name: "eth0", sandbox: blue }] },
  });
  const twin = tryOf({ type: "twin" });

  test.each<[string, Entry, Parameters<typeof decide>[1], object]>([
    ["with the index of the entry is its own", own, {}, everything],
    ["with it is its own, whatever others say", own, claimed, everything],
    ["with another index is somebody else's", own, { link: 8 }, leaseOnly],
    ["that was there before, and another attachment made, is not", entryOf({ before: 7 }), claimed, leaseOnly],
    ["that was there before, which nobody else has, is its own", entryOf({ before: 7 }), {}, everything],
    ["that was there before, whose name another one had, is its own", entryOf({ before: 7 }), madeBefore, everything],
    ["with it, which another container has by now", own, { isTaken: () => true }, leaseOnly],
    ["that is gone: DEL looks for the rest in the namespace", own, { link: 0 }, everything],
    ["in another namespace is not looked for", own, { namespace: { ...here, inode: 1 } }, leaseOnly],
    ["of a failed ADD, new since then", tryOf(), {}, everything],
    ["of a failed ADD, which was there before", tryOf({ before: 7 }), {}, leaseOnly],
    ["of a failed ADD, if nobody looked before", tryOf({ before: undefined }), {}, leaseOnly],
    ["of a failed ADD, made after it", leftBy(0), {}, leaseOnly],
    ["of a failed ADD, which replaced another one's", leftBy(7, { before: 6 }), {}, everything],
    ["of a failed ADD, whose name another attachment's chained plugin has", tryOf(), chained, everything],
    ["of a failed ADD, if nobody can look", tryOf(), { link: "unknown" }, leaseOnly],
    ["with the index of an unknown plugin's entry is its own, too", entryOf({ type: "mark" }), claimed, everything],
    ["of a failed ADD, which another attachment has", tryOf(), claimed, leaseOnly],
    ["of a failed ADD, which another one tried, too", tryOf(), failedToo, leaseOnly],
    ["of a failed ADD, whose name is of a further interface of another attachment", leftBy(8), further, leaseOnly],
    ["of a failed ADD, which another result lists", tryOf(), listed("eth0"), leaseOnly],
    ["of an unknown plugin's ADD, gone since: it may have others", twin, { link: 0 }, everything],
    ["of a known plugin's ADD that was cut off, gone since", tryOf(), { link: 0 }, leaseOnly],
    ["of a failed ADD, which left it, gone since", leftBy(7), { link: 0 }, everything],
    ["of a failed ADD, which left it, and it cannot be looked up now", leftBy(7), { link: "unknown" }, leaseOnly],
    ["of an unknown plugin's cut-off ADD, and somebody's has its name since", { ...twin, before: 7 }, {}, leaseOnly],
    ["of an unknown plugin's ADD, gone since, and another has the name", twin, { ...claimed, link: 0 }, leaseOnly],
    ["of a failed ADD, listed in another sandbox", tryOf(), listed("eth0", "/elsewhere"), everything],
    ["of unknown index, if nobody else has one", anyIndex, {}, everything],
    ["of unknown index, which another attachment has", anyIndex, claimed, leaseOnly],
    ["without an entry, which another one's ADD may be making", { ...anyIndex, id: "" }, failedToo, leaseOnly],
    ["of unknown index, which another one only tried", anyIndex, failedToo, everything],
    ["that cannot be looked up now", own, { link: "unknown" }, everything],
    ["that cannot be, and whose name another one has", own, { ...claimed, link: "unknown" }, leaseOnly],
    ["of a failed ADD, with another index since", leftBy(7), { link: 8 }, leaseOnly],
    ["of a failed ADD, which another one had that is given up", tryOf(), givenUp, everything],
    ["of a failed ADD, if another result lists others", tryOf(), listed("eth5"), everything],
  ])("%s", (_, entry, around, expected) => {
    expect(decide(entry, around)).toMatchObject(expected);
  });

  const given = entryOf({ isGivenUp: true });

  test.each<[string, Entry, object]>([
    ["what its plugin's earlier one had made", given, everything],
    ["what its plugin's earlier one may have made, which was cut off", tryOf({ isGivenUp: true }), everything],
    ["something else than its plugin's earlier one left, which failed", leftBy(6), leaseOnly],
    ["what its plugin's earlier one made for another interface", { ...given, ifName: "eth1" }, leaseOnly],
    ["what another plugin's earlier one had made", { ...given, type: "ptp" }, leaseOnly],
    ["what was there before its plugin's earlier one, which failed", leftBy(7, { before: 7 }), leaseOnly],
  ])("of an ADD that found %s", (_, earlier, expected) => {
    expect(decide(leftBy(7, { before: 7 }), { earlier: [earlier] })).toMatchObject(expected);
  });
});

describe("a lease", () => {
  const same = entryOf({ ...other, delegateNetwork: "zone" });
  const up = { isGivenUp: true };
  const running = { ...same, done: undefined };
  const ofOther = tryOf({ delegateNetwork: "other" });
  const listing = (...names: string[]) => {
    const interfaces = names.map((name) => ({ name, sandbox: blue }));
    return { results: () => [{ ...resultWith("eth0"), interfaces }] };
  };

  const [gone, replaced] = [{ namespace: undefined }, { ...listing("eth0"), link: 8 }];
  const passed = entryOf({ delegateNetwork: "other" });

  test.each<[string, Entry, Entry[], object, Parameters<typeof decide>[1]?]>([
    ["with the same network and interface stays", own, [same], interfaceOnly],
    ["of another interface is freed", own, [{ ...same, ifName: "eth1" }], everything],
    ["of an undone entry is freed", own, [{ ...same, isGivenUp: true, isUndone: true }], everything],
    ["of a failed ADD does not keep one that passed", own, [{ ...running, failed: {} }], everything],
    ["of an ADD that an earlier boot cut off goes", own, [{ ...running, bootId: "old" }], everything],
    ["of an ADD that was given up is free", own, [{ ...running, ...up }], everything],
    ["is no chained plugin's", own, [{ ...same, role: "meta" }], everything],
    ["of another interface that libcni knows is free", ofOther, [], everything, listing("eth5")],
    ["of one of two interfaces that libcni knows stays", ofOther, [], nothing, listing("eth5", "eth0")],
    [
      "of an interface that libcni knows with other addresses is free",
      ofOther,
      [],
      leaseOnly,
      { ...listing("eth0"), mayHaveLease: () => false },
    ],
    ["of an ADD that still runs waits for it: that may fail, or be refused", own, [running], waiting],
    ["of a failed ADD does not", leftBy(7), [running], nothing],
    ["of an unknown plugin, which may have others, waits", entryOf({ type: "twin" }), [same], waiting],
    [
      "of an interface that is gone stays with one that passed, beside one that runs",
      own,
      [same, running],
      nothing,
      gone,
    ],
    ["of a failed ADD stays with the one that passed, and so does the interface", tryOf(), [same], nothing],
    ["of an ADD that was cut off waits for one that still runs", tryOf(), [running], { do: "later" }],
    // The index says whose it was.
    ["of an interface that was replaced goes, whatever libcni knows of others", passed, [], leaseOnly, replaced],
  ])("%s", (_, entry, siblings, expected, around) => {
    expect(decide(entry, { ...around, siblings })).toMatchObject(expected);
  });
});

// Of the bridge of the network zone.
const masqueraded = { configuration: { type: "bridge", name: "zone", ipMasq: true } };
const masquerading = entryOf({ ...other, ...masqueraded, delegateNetwork: "zone", ifName: "eth9" });

describe("masquerading", () => {
  const own = entryOf(masqueraded);
  const sibling = masquerading;
  const old = { bootId: "old" };
  const nftables = { configuration: { ...masqueraded.configuration, ipMasqBackend: "nftables" } };
  const byNftables = { ...sibling, ...nftables };

  test.each<[string, Entry, Entry, boolean]>([
    ["stays with a sibling in the same network", own, sibling, true],
    ["stays if Go reads the key so", own, { ...sibling, configuration: { IPMASQ: true } }, true],
    ["goes if the sibling has rules of nftables for another interface", own, byNftables, false],
    ["stays if it has them for the same one", { ...own, ifName: "eth9" }, byNftables, true],
    ["of nftables stays with a sibling's of iptables", { ...own, ...nftables }, sibling, true],
    ["goes without one", own, { ...sibling, delegateNetwork: "other" }, false],
    ["goes if the sibling masquerades nothing", own, { ...sibling, configuration: {} }, false],
    ["goes if the sibling is a chained plugin", own, { ...sibling, role: "meta" }, false],
    ["goes if the sibling failed", own, { ...sibling, done: undefined, failed: {} }, false],
    ["goes if the sibling is of an earlier boot", own, { ...sibling, ...old }, false],
    ["of an earlier boot is gone", { ...own, ...old }, { ...sibling, ...old }, false],
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
  ])("%s", (_, one, expected) => {
    const removal = decide(tryOf(), { siblings: [one], link: 0 });
    expect(removal).toMatchObject({ do: "DEL" });
    expect("keepsSpoofCheck" in removal ? removal.keepsSpoofCheck : undefined).toBe(expected);
  });

  test.each([
    ["stay", tryOf().ifName, true, true],
    ["go if the plugin's interface has another name", "eth9", true, undefined],
    ["are none if the entry has no such key", tryOf().ifName, undefined, undefined],
  ])("a plain attachment may have them for the same name: they %s", (_, name, macspoofchk, expected) => {
    const failed = tryOf({ configuration: { ...tryOf().configuration, macspoofchk } });
    const removal = decide(failed, {
      link: 0,
      results: () => [resultWith("eth8"), resultWith(name, "/run/netns/other")],
    });
    expect(removal).toMatchObject({ do: "DEL" });
    expect("keepsSpoofCheck" in removal ? removal.keepsSpoofCheck : undefined).toBe(expected);
  });
});

test.each<[string, Partial<Entry>, boolean]>([
  ["failed after it had an address", { failed: { left: 7, addresses: ["10.1.0.2/24"] } }, true],
  ["failed without one", { failed: { left: 7, addresses: [] } }, false],
  ["failed, and nobody looked", { failed: { left: 7 } }, false],
  ["was cut off", {}, true],
])("an ADD that %s waits for the rules that a sibling masquerades by: %s", (_, changes, waits) => {
  expect(decide(tryOf({ ...masqueraded, ...changes }), { siblings: [masquerading] })).toMatchObject({ waits });
});

describe("the DEL of an entry whose interface and lease are a sibling's, for its masquerading", () => {
  const sibling = entryOf({ ...other, delegateNetwork: "zone", done: { made: 8, addresses: [] } });
  const withRules = { ...sibling, ...masqueraded };
  const failed = tryOf(masqueraded);
  const after = { failed: { left: 7, addresses: ["10.1.0.2/24"] } };

  test.each<[string, Entry, Entry, string]>([
    ["runs if it passed", entryOf(masqueraded), withRules, "DEL"],
    ["runs if it failed, and the sibling has no rules", failed, sibling, "DEL"],
    ["does not run if it failed, and the sibling has rules", failed, withRules, "nothing"],
    ["runs if it failed after it had an address, and the sibling has rules", { ...failed, ...after }, withRules, "DEL"],
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
  ])("%s", (_, siblings, link, withNamespace) => {
    expect(decide(chainedOf("tuning"), { siblings, link })).toMatchObject({ withNamespace });
  });
});

test.each<[string, Partial<Entry>, object]>([
  ["found the interface and left it", { before: 7, failed: { left: 7 } }, everything],
  ["left none", { before: 0, failed: { left: 0 } }, everything],
  ["found it, and still runs", { before: 7 }, everything],
  ["passed, though there was one before", { before: 7, done: { addresses: [] } }, leaseOnly],
  ["was in another namespace", { before: 0, namespace: { ...here, inode: 1 } }, everything],
])("a failed ADD's interface is its own if a sibling's ADD %s", (_, changes, expected) => {
  expect(decide(tryOf(), { siblings: [tryOf({ ...other, delegateNetwork: "other", ...changes })] })).toEqual(expected);
});

describe("what a chained plugin leaves", () => {
  test.each([
    ["tuning", everything],
    ["unknown", { do: "later" }],
  ])("%s, and the sibling is of an earlier boot", (type, expected) => {
    expect(decide(chainedOf(type), { siblings: [chainedOf(type, { ...other, bootId: "old" })] })).toEqual(expected);
  });

  const failed = { done: undefined };

  test.each<[string, Partial<Entry>, boolean]>([
    ["portmap", {}, true],
    ["bandwidth", { delegateNetwork: "zone" }, true],
    ["bandwidth", { delegateNetwork: "other" }, false],
    ["tuning", { ifName: "eth0" }, true],
    ["tuning", { ifName: "eth1" }, false],
    ["firewall", {}, false],
  ])("%s with %j has one name with the other: %s", (type, changes, isShared) => {
    const decided = (sibling: string) =>
      decide(chainedOf(type, failed), { siblings: [chainedOf(sibling, { ...other, ...changes })] });
    expect(decided(type)).toMatchObject(isShared ? { do: "later" } : everything);
    expect(decided("other")).toMatchObject(everything);
  });

  test.each<[string, object, string | undefined, string, boolean]>([
    ["by iptables in another network", { backend: "iptables" }, undefined, "other", false],
    ["by iptables, which is installed", {}, "iptables", "other", false],
    ["by iptables, because null is no backend", { Backend: null }, "iptables", "other", false],
    ["by nftables, because only that is installed", {}, "nft", "other", true],
    ["by nftables", { backend: "nftables" }, "iptables", "other", true],
  ])("ports that are published %s: a failed ADD waits for the sibling's", (_, given, installed, network, waits) => {
    const entry = chainedOf("portmap", { ...failed, configuration: { type: "portmap", ...given } });
    const siblings = [chainedOf("portmap", { ...other, delegateNetwork: network })];
    const decided = decide(entry, { siblings, hasProgram: (name) => name === installed });
    expect(decided).toMatchObject(waits ? { do: "later" } : everything);
  });

  test.each([0, 2])("of portmap, beside %i others: the host is searched for its program at most once", (count) => {
    const siblings = Array.from({ length: count }, () => chainedOf("portmap", { ...other }));
    const searched: string[] = [];
    decide(chainedOf("portmap"), { siblings, hasProgram: (name) => searched.push(name) > 0 });
    expect(searched).toEqual(count === 0 ? [] : ["iptables"]);
  });

  test.each<[string, string, Partial<Entry>, object]>([
    ["tuning", "another one passed: the last one's undo removes both", {}, { do: "later" }],
    ["tuning", "another one failed: it holds nothing against one that passed", { ...failed, failed: {} }, everything],
    ["tuning", "another one is in another namespace", { namespace: { ...here, inode: 1 } }, everything],
  ])("of %s: %s", (type, _, changes, expected) => {
    expect(decide(chainedOf(type), { siblings: [chainedOf(type, { ...other, ...changes })] })).toEqual(expected);
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

test("an unknown plugin that was first in its list is a chained one if another attachment says so", () => {
  const first = tryOf({ type: "mark" });
  expect(decide(first, { siblings: [chainedOf("mark", other)] })).toEqual({ do: "later" });
  // A chained one would get the namespace.
  const found = { ...first, before: 7 };
  expect(decide(found, { siblings: [chainedOf("other", other)] })).toEqual(leaseOnly);
  expect(decide(found, { siblings: [entryOf({ ...other, type: "mark", ifName: "net1" })] })).toEqual(leaseOnly);
  // A known plugin's role does not depend on what a journal says.
  expect(decide(tryOf({ before: 7 }), { siblings: [chainedOf("bridge", other)] })).toEqual(leaseOnly);
});
