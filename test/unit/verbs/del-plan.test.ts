import { describe, expect, test } from "vitest";
import { checksumOf, type Entry } from "../../../shared/journal/journal.ts";
import type { JsonObject } from "../../../shared/protocol/json.ts";
import { del, runsOf, zone } from "../support/dels.ts";
import { bootId, exits, type Machine, ownNamespace, planOf } from "../support/fake-host.ts";
import { chainedOf, entryOf, journalFiles, net1, undone, zoneOfBlue } from "../support/journals.ts";
import { blue, requestOf } from "../support/requests.ts";
import { bothResult, macvlanResult } from "../support/results.ts";

const eth0 = [{ name: "eth0", sandbox: blue }];

function planned(configuration: JsonObject, entries: readonly Entry[] = [], link = 7) {
  return planOf(requestOf("DEL", configuration), "bridge-wrapper", { files: journalFiles(...entries), links: [link] });
}

/** The interfaces and the addresses in the prevResult of each run. */
function shownIn({ runs }: ReturnType<typeof del>): unknown[] {
  return runs.map(({ stdin }) => (stdin as { prevResult?: unknown }).prevResult);
}

describe("the plan of a DEL", () => {
  test("without an entry has the one that a wrapper would have written", () => {
    const configuration = { cniVersion: "1.0.0", name: "zone", type: "bridge" };
    const imagined = {
      ...zoneOfBlue,
      ...{ id: "", bootId, uptime: 1000, type: "bridge", role: "creator", ifName: "eth0", delegateNetwork: "zone" },
      ...{ path: "", args: "", checksum: "", wrapper: {}, configuration, isGivenUp: false, isUndone: false },
      namespace: { path: blue, device: 4, inode: ownNamespace, changedMs: 0 },
    };
    const plan = planned({});
    expect(plan).toEqual({
      do: "remove",
      removals: [
        {
          call: { delegate: "bridge", environment: {}, configuration },
          as: { ...imagined, done: { addresses: [] } },
        },
      ],
      entries: [],
    });
  });

  test("has the own entry, unless that is undone, and those after it", () => {
    const own = entryOf();
    const later = chainedOf("tuning");
    expect(planned({}, [own, later])).toMatchObject({
      do: "undo",
      entries: [{ id: own.id }, { id: later.id }],
      own: { id: own.id },
    });
    expect(planned({}, [entryOf(undone), later], 0)).toEqual({ do: "undo", entries: [], own: undefined });
    // With the list's first plugin, everything goes.
    expect(planned({}, [entryOf({ ...undone, first: true }), later], 0)).toMatchObject({
      do: "undo",
      entries: [{ id: later.id }],
    });
  });
});

describe("DEL of an unknown plugin without an entry", () => {
  const red = entryOf({ containerId: "red", done: { addresses: ["172.16.5.2/24"] } });
  /** The addresses that it gets of prevResult, although another container has them by now. */
  const addressesBeside = (...entries: readonly Entry[]) => {
    const outcome = del("mark", { prevResult: macvlanResult }, { entries: [red, ...entries] });
    const own = outcome.runs.find(({ path, env }) => path.endsWith("/mark") && env.CNI_IFNAME === "eth0");
    return (own?.stdin as { prevResult: { ips: unknown } } | undefined)?.prevResult.ips;
  };
  const sibling = (type: string, role: Entry["role"]) =>
    entryOf({ ...net1, type, role, ifName: "net1", isGivenUp: true });

  test.each<[string, readonly Entry[]]>([
    ["nothing knows it", []],
    ["another attachment knows another plugin as chained", [sibling("twin", "meta")]],
    ["another attachment knows it as a creator", [sibling("twin", "meta"), sibling("mark", "creator")]],
  ])("is a creator's if %s: nothing is named by its addresses", (_, entries) => {
    expect(addressesBeside(...entries)).toEqual(macvlanResult.ips);
  });

  test.each<[string, readonly Entry[]]>([
    ["another attachment knows it as that", [sibling("twin", "creator"), sibling("mark", "meta")]],
    ["others of its own list are known", [entryOf()]],
  ])("is a chained one's if %s: its rules may be named by its addresses", (_, entries) => {
    expect(addressesBeside(...entries)).toEqual([]);
  });
});

describe("the prevResult of a DEL", () => {
  const other = { interfaces: eth0, ips: [{ address: "10.1.0.9/24", interface: 0 }] };
  const result = (ips: object[]) => ({ cniVersion: "1.0.0", interfaces: eth0, ips });
  const ofAdd = result([{ address: "10.1.0.2/24", interface: 0 }]);
  const withResult = (changes: Partial<Entry> = {}) =>
    chainedOf("tuning", { configuration: { type: "tuning", prevResult: ofAdd }, ...changes });

  test("is that of ADD if the runtime gives none, or one from before this ADD", () => {
    expect(shownIn(del("tuning", {}, { entries: [withResult()] }))).toEqual([ofAdd]);
    const cached = "/var/lib/cni/results/zone-blue-eth0";
    const resultMs = (machine: Machine) =>
      shownIn(del("tuning", { prevResult: other }, machine)).map((shown) => (shown as { ips: object[] }).ips);
    // The fake host writes its files a second before the call, in order.
    const first = Date.UTC(2030, 0, 2, 3, 4, 4) + 2;
    const since = (written: number) => ({ [cached]: "{}", ...journalFiles(withResult({ resultMs: written })) });
    expect(resultMs({ files: since(first) })).toEqual([ofAdd.ips]);
    expect(resultMs({ files: since(first - 1) })).toEqual([other.ips]);
    expect(resultMs({ files: journalFiles(withResult({ resultMs: first })) })).toEqual([other.ips]);
  });

  test("is that of the entry's interface, whatever name the list gives it now", () => {
    const own = entryOf({ ifName: "eth1", checksum: checksumOf({ ...zone, bridge: "disc0" }) });
    const stdin = { bridge: "disc0", wrapper: { ifName: "eth2" }, prevResult: bothResult };
    expect(shownIn(del("bridge", stdin, { entries: [own] }))).toMatchObject([
      { interfaces: [{ name: "disc0" }, { name: "veth1" }, { name: "eth1" }] },
    ]);
  });

  test("of a version without chains goes to the plugin as it came", () => {
    const stdin = { cniVersion: "0.2.0", prevResult: { ip4: { ip: "10.1.0.2/24" } } };
    const shown = { cniVersion: "0.2.0", ip4: { ip: "10.1.0.2/24" } };
    expect(shownIn(del("tuning", stdin, { entries: [chainedOf("tuning")] }))).toEqual([shown]);
  });
});

test("a DEL without a namespace reads no journal of another container", () => {
  const files = journalFiles(entryOf(), entryOf({ containerId: "red" }));
  const { asked } = del("bridge", {}, { files, noNamespace: true });
  expect(asked.filter((path) => /wrappers(\/red|$)/.test(path))).toEqual([]);
});

describe("what waited for the last DEL of a list", () => {
  const waiting = (changes: Partial<Entry> = {}) =>
    entryOf({ ...net1, ifName: "net1", delegateNetwork: "other", isGivenUp: true, ...changes });
  const runsAfter = (sibling: Entry, answers: Machine["answers"] = [exits(0)]) =>
    runsOf(del("bridge", { prevResult: bothResult }, { entries: [entryOf(), sibling], answers }));

  test("is tried twice: a chain that several share goes with the last one's rules", () => {
    const own = `bridge DEL eth0 ${blue}`;
    const other = `bridge DEL net1 ${blue}`;
    expect(runsAfter(waiting(), [exits(0), exits(3)])).toEqual([own, other, other]);
    expect(runsAfter(waiting(), [exits(0), exits(3), exits(0)])).toEqual([own, other, other]);
    expect(runsAfter(waiting())).toEqual([own, other]);
  });

  test("is undone in the namespace of the call, by whatever path its ADD knew it", () => {
    const namespace = { path: "/run/netns/alias", device: 4, inode: ownNamespace, changedMs: 0 };
    expect(runsAfter(waiting({ namespace }))[1]).toBe(`bridge DEL net1 ${blue}`);
  });
});
