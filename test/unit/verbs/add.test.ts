import { describe, expect, test } from "vitest";
import type { AddPlan } from "../../../shared/call/plan.ts";
import type { Entry } from "../../../shared/journal/journal.ts";
import type { JsonObject } from "../../../shared/protocol/json.ts";
import type { CniResult } from "../../../shared/protocol/result.ts";
import { callWrapper, exits, type Machine, messagesOf, planOf } from "../support/fake-host.ts";
import { chainedOf, entriesIn, entryOf, journal, journalFiles, undone } from "../support/journals.ts";
import { blue, red, requestOf } from "../support/requests.ts";
import { bothResult, bridgeResult, macvlanResult } from "../support/results.ts";

function first(wrapper: JsonObject, configuration: JsonObject = {}) {
  return planOf(requestOf("ADD", { wrapper, ...configuration })) as AddPlan;
}

function chained(calledAs: string, wrapper: JsonObject, prevResult: CniResult, configuration: JsonObject = {}) {
  return planOf(requestOf("ADD", { wrapper, prevResult, ...configuration }), calledAs) as AddPlan;
}

describe("after others", () => {
  test("a plugin of unknown role is a chained plugin if its interface exists, else a creator", () => {
    expect(chained("calico-wrapper", { ifName: "eth1" }, bothResult).splice.as).toBe("meta");
    expect(chained("calico-wrapper", { ifName: "eth2" }, bothResult).splice.as).toBe("creator");
    expect(chained("calico-wrapper", { ifName: "eth2" }, {}).splice.as).toBe("creator");
  });

  test("a chained plugin whose interface is missing", () => {
    expect(() => chained("tuning-wrapper", { ifName: "eth2" }, bothResult)).toThrow(
      expect.objectContaining({ code: 103, message: "interface eth2 is not in prevResult" }),
    );
  });
});

describe("a creator's name", () => {
  const taken = (message: RegExp) => expect.objectContaining({ code: 7, message: expect.stringMatching(message) });

  test.each([
    ["another sandbox", { name: "eth1", sandbox: red }],
    ["the host", { name: "eth1" }],
  ])("that %s has", (_, other) => {
    expect(chained("bridge-wrapper", { ifName: "eth1" }, { interfaces: [other] }).splice.as).toBe("creator");
  });

  test.each([
    ["disc0", { bridge: "disc0" }],
    ["cni0", {}],
  ])("that is its own bridge's: %s", (ifName, configuration) => {
    const isTaken = taken(new RegExp(`^interface name ${ifName} is taken$`));
    expect(() => first({ ifName }, configuration)).toThrow(isTaken);
    expect(() => chained("bridge-wrapper", { ifName }, macvlanResult, configuration)).toThrow(isTaken);
    const details = expect.stringContaining("it is the plugin's own bridge.");
    expect(() => first({ ifName }, configuration)).toThrow(expect.objectContaining({ details }));
  });

  test("that is the runtime's own is not compared with the bridge's: the plugin decides", () => {
    expect(first({}, { bridge: "eth0" }).splice).toStrictEqual({ as: "only" });
  });
});

const had = ["10.1.0.2/24"];
const had6 = ["fd00:1::2/64"];
const inSubnet = { subnet: "10.1.0.0/24" };
const inSubnet6 = { subnet: "fd00:1::/64" };
const leasedTo = (owner: string, address = "10.1.0.2") => ({ [`/var/lib/cni/networks/zone/${address}`]: owner });
const [itself, eth1OfIt, another] = ["blue\r\neth0", "blue\r\neth1", "red\r\neth0"] as const;

test.each<[string, string[], JsonObject, boolean, Record<string, string>?, JsonObject?]>([
  ["is in its subnet", had, inSubnet, true],
  ["is in a range of the runtime", had, {}, true, {}, { ipRanges: [[inSubnet]] }],
  ["is in another subnet", had, { subnet: "10.2.0.0/24" }, false],
  ["its own interface has", had, inSubnet, true, leasedTo(itself)],
  ["another interface of the container has", had, inSubnet, false, leasedTo(eth1OfIt)],
  ["another container has", had, inSubnet, false, leasedTo(another)],
  ["its own interface has in another spelling", had6, inSubnet6, true, leasedTo(itself, "fd00:1:0::2")],
  ["another container has in another spelling", had6, inSubnet6, false, leasedTo(another, "fd00:1:0::2")],
])(
  "after a reboot ADD asks for its address %j, which %s: %j: %s",
  (_, addresses, ranges, asks, leases, runtimeConfig = {}) => {
    const stdin = { cniVersion: "1.0.0", name: "zone", ipam: { type: "host-local", ...ranges }, runtimeConfig };
    const files = { ...journalFiles(entryOf({ bootId: "earlier", done: { addresses } })), ...leases };
    const { runs } = callWrapper({ stdin }, { files, answers: [exits(0), exits(0, bridgeResult)], links: [0] });
    expect(runs.map(({ env }) => env.CNI_COMMAND)).toEqual(["DEL", "ADD"]);
    const [, add] = runs as readonly { stdin: JsonObject }[];
    expect(add?.stdin.args).toEqual(asks ? { cni: { ips: addresses } } : undefined);
  },
);

const consequence =
  "made by an unwrapped plugin: its CHECK will fail because of the other interfaces; " +
  'wrap every plugin that makes an interface ("type": "macvlan-wrapper")';
const withAdded = entryOf({ done: { addresses: [], added: [{ name: "vrf0", sandbox: blue }] } });

test.each<[string[], string, string?, Entry?]>([
  [["eth0"], "interface eth0 was"],
  [["lo", "eth0", "eth2", "eth0"], "interfaces eth0, eth2 were"],
  [["eth0", "eth2"], "interface eth2 was", "bridge", entryOf()],
  [["lo"], ""],
  [["eth0", "vrf0"], "", "bridge", withAdded],
  [["eth0", "eth1"], "", "tuning"],
])(
  "ADD warns of interfaces that unwrapped plugins have made: of %j it says %j",
  (names, said, plugin = "bridge", ...entries) => {
    const prevResult = { cniVersion: "1.0.0", interfaces: names.map((name) => ({ name, sandbox: blue })) };
    const stdin = { cniVersion: "1.0.0", name: "zone", wrapper: { ifName: "eth1" }, prevResult };
    const env = { CNI_WRAPPERS_LOG: "/log", CNI_WRAPPERS_LOG_LEVEL: "warn" };
    const files = journalFiles(...entries.filter((entry) => entry !== undefined));
    const call = { calledAs: `/opt/cni/bin/${plugin}-wrapper`, stdin, env };
    const outcome = callWrapper(call, { answers: [exits(0, bridgeResult)], files });
    const warnings = said ? [`${said} ${consequence}`] : [];
    expect(messagesOf(outcome)).toEqual(warnings);
    expect(outcome.stderr).toBe(warnings.map((warning) => `cni-wrappers: warning: ${warning}\n`).join(""));
  },
);

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
const added = [{ name: "vrf0", sandbox: blue }];
const afterVrf = { prevResult: { ...prevResult, interfaces: added }, ...eth1 };
const vrf = chainedOf("vrf", { done: { addresses: [], added } });

test.each<[string, true | undefined, string, object, Entry[]]>([
  ["without prevResult", true, "tuning", {}, []],
  ["that is chained", undefined, "tuning", { prevResult }, []],
  ["after an unwrapped plugin's interface", true, "bridge", { prevResult, ...eth1 }, []],
  ["after an interface that a wrapped one made", undefined, "bridge", { prevResult, ...eth1 }, [entryOf()]],
  ["after an interface whose entry is undone", true, "bridge", { prevResult, ...eth1 }, [entryOf(undone)]],
  ["after an interface that a wrapped one added besides its own", undefined, "bridge", afterVrf, [vrf]],
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
