import { describe, expect, test } from "vitest";
import { withoutShared } from "../../../shared/delegate/del-configuration.ts";
import { checksumOf, type Entry, nowhere } from "../../../shared/journal/journal.ts";
import type { JsonObject } from "../../../shared/protocol/json.ts";
import { del, loggedDel, runsOf, zone } from "../support/dels.ts";
import { exits, type Machine, messagesOf, ownNamespace, planOf } from "../support/fake-host.ts";
import {
  appearing,
  cached,
  chainedOf,
  entryOf,
  journal,
  journalFiles,
  linesIn,
  net1,
  tryOf,
  undone,
} from "../support/journals.ts";
import { blue, requestOf } from "../support/requests.ts";
import { bothResult, macvlanResult } from "../support/results.ts";

const eth1 = entryOf({ ifName: "eth1", checksum: "1" });
const sinceThen = { addresses: [] };
const added = { type: "bridge", name: "zone" };
const masquerading = { ...added, ipMasq: true };
const elsewhere = { path: blue, device: 4, inode: ownNamespace + 1, changedMs: 0 };
const earlier = { bootId: "earlier" };

describe("a sibling's journal cannot be read: DEL fails, runs nothing, and the journals stay", () => {
  test.each([
    ["of an entry", [entryOf()]],
    ["without an entry", []],
  ])("%s", (_, own) => {
    const theirs = journalFiles(entryOf(net1));
    const files = { ...journalFiles(...own), ...theirs };
    const outcome = del("bridge", { prevResult: bothResult }, { files, unreadable: Object.keys(theirs) });
    expect(outcome).toMatchObject({ exitCode: 1, runs: [], stdout: expect.stringContaining("blue/other:net1") });
    expect(Object.keys(outcome.files)).toEqual(Object.keys(files));
  });
});

describe("DEL of an entry", () => {
  const renamed = { wrapper: { ifName: "eth1" } };

  test("runs with the configuration of its ADD, and the last one takes the journal along", () => {
    const configuration = { type: "bridge", name: "zone-eth1", bridge: "old" };
    const files = journalFiles({ ...eth1, configuration });
    const outcome = del("bridge", { ...renamed, bridge: "new", prevResult: bothResult }, { files });
    expect(outcome.runs).toMatchObject([{ how: "spawn", stdin: { bridge: "old", name: "zone-eth1" } }]);
    expect(runsOf(outcome)).toEqual([`bridge DEL eth1 ${blue}`]);
    expect(outcome.files).toEqual({});
    expect(outcome.emptied).toEqual(["/var/lib/cni/wrappers/blue"]);
  });

  test("is of the interface that its ADD made, whatever the list calls it now", () => {
    const files = journalFiles({ ...eth1, checksum: checksumOf({ name: "zone" }) });
    const outcome = del("bridge", { wrapper: { ifName: "eth2" }, prevResult: bothResult }, { files });
    expect(runsOf(outcome)).toEqual([`bridge DEL eth1 ${blue}`]);
  });

  test.each(["portmap", "bridge-ports"])(
    "of what a stray ADD left of another plugin, %s, does not run with the configuration of the list's bridge",
    (type) => {
      const runtimeConfig = { portMappings: [{ hostPort: 25080, containerPort: 80, protocol: "tcp" }] };
      const configuration = { type, name: "zone", runtimeConfig };
      const stray = chainedOf(type, { id: "stray", stray: true, isGivenUp: true, uptime: 990, configuration });
      const answers = [exits(1), exits(0), exits(1)];
      const given = { runtimeConfig: { mac: "c2:b0:57:49:47:f1" } };
      const outcome = del("bridge", given, { entries: [entryOf(), stray], answers });
      expect(outcome.exitCode).toBe(1);
      const dels = outcome.runs.filter(({ path }) => path.endsWith(`/${type}`));
      // Without its ports, portmap does nothing, and passes.
      expect(dels.map(({ stdin }) => stdin)).toEqual(Array(2).fill(expect.objectContaining(configuration)));
      expect(outcome.files[journal]).toContain(type);
    },
  );

  test("gives the runtime the failure of what a stray ADD left, although that of its own entry passes", () => {
    const files = journalFiles(entryOf(), tryOf({ id: "stray", stray: true, isGivenUp: true, uptime: 990 }));
    const answers = [exits(1, { code: 7, msg: "no" }), exits(1, { code: 7, msg: "no" }), exits(0)];
    const left = del("bridge", {}, { files, answers, links: [7] });
    expect([left.exitCode, left.files]).toEqual([1, {}]);
  });

  test.each([
    ["host-local", "host-local"],
    // Without an IPAM plugin, nothing is left.
    [undefined, undefined],
    ["../host-local", undefined],
  ])(
    "of host-device, and of macvlan and vlan that fail, is that of their IPAM plugin %s if the interface is gone",
    (ipam, delegate) => {
      for (const type of ["host-device", "macvlan", "vlan"]) {
        const configuration = { type, name: "zone-eth1", ...(ipam && { ipam: { type: ipam } }) };
        const entries = [entryOf(), entryOf({ type, ifName: "eth1", configuration })];
        const failed = type === "host-device" ? [] : [`${type} DEL eth1 ${blue}`];
        const answers = [...failed.map(() => exits(1)), exits(0)];
        const outcome = del("bridge", {}, { entries, links: [0], answers });
        const ofIpam = delegate ? [`${delegate} DEL eth1 `] : [];
        expect(runsOf(outcome)).toEqual([...failed, ...ofIpam, `bridge DEL eth0 ${blue}`]);
        expect(outcome.files).toEqual({});
      }
    },
  );

  const ofContainer = { master: "eth0", linkInContainer: true };

  test.each<[string, object, (number | undefined)[], number, boolean]>([
    ["fails with its interface", {}, [7], 1, false],
    ["passes without it", {}, [0], 0, false],
    ["fails without it while its master is there", { master: "ens18" }, [0, 0, 7], 1, false],
    ["fails without it while its master may be there", { master: "ens18" }, [0, 0, undefined], 1, false],
    ["fails without it while the container has its master", ofContainer, [0, 0, 7], 1, false],
    ["fails without its master", { master: "ens18" }, [0], 1, true],
    ["fails without its master of the container", ofContainer, [0], 1, true],
    ["fails without its master of a namespace that is gone", ofContainer, [0, 0, undefined], 1, true],
    ["fails without its master that it does not name", { master: "" }, [0, 0, 7], 1, true],
    ["fails without its master that no interface can be", { master: 5 }, [0, 0, 7], 1, true],
  ])("of vlan that %s: with %j, interfaces %j and exit code %i, is that of its IPAM plugin: %s", (...row) => {
    const [, given, links, exitCode, isOfIpam] = row;
    const configuration = { type: "vlan", name: "zone-eth1", ipam: { type: "host-local" }, ...given };
    const entries = [entryOf(), entryOf({ type: "vlan", ifName: "eth1", configuration })];
    const runs = runsOf(del("bridge", {}, { entries, links, answers: [exits(exitCode), exits(0)] }));
    const ofIpam = isOfIpam ? ["host-local DEL eth1 "] : [];
    expect([...new Set(runs)]).toEqual([`vlan DEL eth1 ${blue}`, ...ofIpam, `bridge DEL eth0 ${blue}`]);
  });

  test("of host-device without its interface fails if its IPAM plugin is missing", () => {
    const configuration = { type: "host-device", name: "zone", ipam: { type: "host-local" } };
    const files = journalFiles(entryOf({ type: "host-device", configuration }));
    const inspect = (path: string) => (path === "/opt/cni/bin/host-device" ? "executable" : "missing");
    const outcome = del("host-device", {}, { files, links: [0], inspect });
    expect(outcome).toMatchObject({ exitCode: 1, runs: [] });
    expect(JSON.parse(outcome.stdout)).toMatchObject({ code: 100 });
    expect(outcome.files[journal]).not.toContain("undone");
  });

  test.each<[string, string[], string[]]>([
    ["and not in CNI_PATH is run there", ["/old"], ["/old/portmap"]],
    ["and in CNI_PATH is run from that", ["/old", "/opt/cni/bin"], ["/opt/cni/bin/portmap"]],
    ["no longer, nor in CNI_PATH, is not run", [], []],
  ])("of a plugin that is where its ADD found it %s", (_, directories, expected) => {
    const entries = [entryOf(), chainedOf("portmap", { path: "/old/portmap" })];
    const executables = [...directories.map((directory) => `${directory}/portmap`), "/opt/cni/bin/bridge"];
    const inspect = (path: string) => (executables.includes(path) ? "executable" : "missing");
    const { runs } = del("bridge", {}, { entries, inspect });
    expect(runs.map(({ path }) => path)).toEqual([...expected, "/opt/cni/bin/bridge"]);
  });

  test("takes the journal along on a full disk, if all others are undone, and warns of nothing", () => {
    const entries = [entryOf({ ifName: "eth1", ...undone }), entryOf()];
    const outcome = loggedDel("bridge", {}, { entries, writeProblem: "ENOSPC" });
    expect(outcome).toMatchObject({ exitCode: 0, log: [] });
    expect(outcome.files).toEqual({});
  });

  test.each([
    ["flannel keeps its files", { dataDir: "/old" }, { dataDir: "/new" }],
    ["flannel keeps its files by default", {}, { dataDir: "/new" }],
  ])("fails: it does not run with the list's directory where %s, and would pass", (_, own, listed) => {
    const configuration = { type: "flannel", name: "zone", ...own };
    const files = journalFiles(entryOf({ type: "flannel", configuration }));
    const stdin = { wrapper: { role: "creator" }, ...listed };
    const outcome = del("flannel", stdin, { files, answers: [exits(3), exits(0)] });
    expect(outcome).toMatchObject({ exitCode: 3, runs: [{ stdin: own }] });
    expect(outcome.files[journal]).not.toContain("undone");
  });

  test("undoes what a sibling left to it, though libcni still has its result", () => {
    const sibling = entryOf({ ...net1, type: "acme", delegateNetwork: "zone", done: sinceThen, isGivenUp: true });
    const files = cached("zone", "eth0", { interfaces: [{ name: "eth0", sandbox: blue }] });
    const outcome = del("bridge", {}, { entries: [entryOf(), sibling], files });
    expect(runsOf(outcome)).toEqual([`bridge DEL eth0 ${blue}`, `acme DEL eth0 ${blue}`]);
    expect(outcome.files).toEqual(files);
  });

  test("stays given up if a sibling shares the chain by the time the list's configuration is tried", () => {
    const own = entryOf({ configuration: masquerading });
    const meanwhile = appearing({ ...own, ...net1, ifName: "eth1" });
    const outcome = del("bridge", { ipMasq: true }, { entries: [own], answers: [exits(1), exits(0)], meanwhile });
    expect(outcome.runs).toMatchObject([{ stdin: { ipMasq: true } }, { stdin: { ipMasq: false } }]);
    expect(outcome.files[journal]?.match(/"given up"/g)).toHaveLength(1);
    expect(outcome.files[journal]).not.toContain("undone");
  });

  test("keeps a shared lease and shared masquerading, however the keys are written", () => {
    const shared = { freesLease: false, keepsMasquerading: true, waits: true } as const;
    const removal = { do: "DEL", withNamespace: true, addAgain: [], ...shared } as const;
    // Nobody shares the rules of macspoofchk.
    const own = { name: "zone", ipam6: {}, macspoofchk: true };
    const given = { ...own, IPAM: { type: "host-local" }, IPMasq: true };
    const kept = { ...own, ipam: { type: "static" }, ipMasq: false };
    expect(withoutShared(given, removal)).toEqual(kept);
    expect(withoutShared({ name: "zone" }, { ...removal, keepsMasquerading: false })).toEqual({ name: "zone" });
    const spoof = { ...removal, keepsMasquerading: false, keepsSpoofCheck: true };
    expect(withoutShared({ MacSpoofChk: true }, spoof)).toEqual({ macspoofchk: false });
    expect(withoutShared({ name: "zone" }, spoof)).toEqual({ name: "zone" });
  });

  test("without the boot's id is undone as it is", () => {
    const files = { ...journalFiles(entryOf()), "/proc/sys/kernel/random/boot_id": "" };
    expect(del("bridge", {}, { files })).toMatchObject({ exitCode: 0, runs: [{}] });
  });

  test("of an earlier boot: what was attached since without an entry is removed as such", () => {
    const files = journalFiles(entryOf(earlier), chainedOf("portmap", earlier));
    const portmap = loggedDel("portmap", { prevResult: bothResult }, { files });
    expect(messagesOf(portmap)).toContain("DEL of portmap for eth0 is skipped: its rules are of an earlier boot");
    expect(runsOf(portmap)).toEqual([`portmap DEL eth0 ${blue}`]);
    const bridge = del("bridge", { prevResult: bothResult }, { files: portmap.files });
    expect(runsOf(bridge)).toEqual(["bridge DEL eth0 ", `bridge DEL eth0 ${blue}`]);
    expect(bridge.files).toEqual({});
    const beside = (index: number) => {
      const sibling = entryOf({ ...net1, delegateNetwork: "other", done: { ...sinceThen, made: index } });
      const own = entryOf({ ...earlier, delegateNetwork: "zone" });
      return runsOf(del("bridge", { prevResult: bothResult }, { entries: [own, sibling], links: [9] }));
    };
    expect([beside(9), beside(5)]).toEqual([["bridge DEL eth0 "], ["bridge DEL eth0 ", "bridge DEL eth0 "]]);
  });

  test("undone: what was attached since without an entry is removed as such, and not what a wrapper has made", () => {
    const entries = [entryOf(), chainedOf("portmap", undone)];
    const runsWith = (index: number | undefined, ...more: Entry[]) =>
      runsOf(del("portmap", { prevResult: bothResult }, { entries: [...entries, ...more], links: [index] }));
    for (const index of [7, 0, undefined]) expect(runsWith(index)).toEqual([]);
    expect(runsWith(9)).toEqual([`portmap DEL eth0 ${blue}`]);
    expect(runsWith(9, tryOf({ id: "later", failed: { left: 9 } }))).toEqual([]);
    expect(runsWith(9, tryOf({ id: "later", failed: { left: 8 } }))).toEqual([`portmap DEL eth0 ${blue}`]);
    expect(runsWith(9, tryOf({ id: "later" }))).toEqual([]);
    expect(runsWith(9, chainedOf("firewall", { id: "later" }))).toEqual([`portmap DEL eth0 ${blue}`]);
    expect(runsWith(9, entryOf({ ...net1, delegateNetwork: "other", done: { ...sinceThen, made: 9 } }))).toEqual([]);
  });

  test("undoes what earlier tries left before it, if the list was edited in between", () => {
    const given = (changes: object, own: object) =>
      runsOf(del("bridge", renamed, { entries: [entryOf(changes), { ...eth1, ...own }] }));
    expect(given({}, {})).toEqual([`bridge DEL eth1 ${blue}`]);
    expect(given({}, { first: true })).toEqual([`bridge DEL eth1 ${blue}`, `bridge DEL eth0 ${blue}`]);
    expect(given(earlier, {})).toEqual([`bridge DEL eth1 ${blue}`, "bridge DEL eth0 "]);
    const namespace = { path: blue, device: 4, inode: 1, changedMs: 0 };
    expect(given({ namespace }, {})).toEqual([`bridge DEL eth1 ${blue}`, "bridge DEL eth0 "]);
    expect(given({}, { namespace: nowhere(blue) })).toEqual([`bridge DEL eth1 ${blue}`, "bridge DEL eth1 "]);
  });

  test("of a creator's ADD that was cut off gets no prevResult: it is of an earlier ADD", () => {
    const interfaces = [{ name: "eth0", sandbox: blue }];
    const stdinWith = (entry: ReturnType<typeof entryOf>) => {
      const given = { prevResult: { interfaces }, wrapper: { role: "creator" } };
      return del("twin", given, { entries: [entry], links: [7] }).runs.map(({ stdin }) => stdin);
    };
    expect(stdinWith(entryOf({ type: "twin" }))).toMatchObject([{ prevResult: { interfaces } }]);
    expect(stdinWith(tryOf({ type: "twin" }))).toEqual([
      expect.not.objectContaining({ prevResult: expect.anything() }),
    ]);
  });

  test("leaves the interface of a neighbour whose namespace is at the path by now", () => {
    const runsBeside = (neighbour: object) => {
      const own = entryOf({ type: "macvlan", namespace: elsewhere });
      const theirs = entryOf({ type: "macvlan", containerId: "red", ...neighbour });
      return runsOf(del("macvlan", {}, { entries: [own, theirs], links: [9] }));
    };
    expect(runsBeside({})).toEqual(["macvlan DEL eth0 "]);
    expect(runsBeside({ namespace: elsewhere })).toEqual([`macvlan DEL eth0 ${blue}`, "macvlan DEL eth0 "]);
    expect(runsBeside(undone)).toEqual([`macvlan DEL eth0 ${blue}`, "macvlan DEL eth0 "]);
  });

  test("leaves it if only its index and its inode are those of the entry: no time tells of a path in /proc", () => {
    const netns = "/proc/7/ns/net";
    const namespace = { path: netns, device: 4, inode: ownNamespace };
    const runsBeside = (neighbour: Partial<Entry>) => {
      const own = [entryOf({ namespace }), chainedOf("tuning", { namespace })];
      const theirs = entryOf({ containerId: "red", namespace, uptime: 986, ...neighbour });
      return runsOf(del("bridge", {}, { entries: [...own, theirs] }, { CNI_NETNS: netns }));
    };
    expect(runsBeside({})).toEqual(["tuning DEL eth0 ", "bridge DEL eth0 "]);
    const all = [`tuning DEL eth0 ${netns}`, `bridge DEL eth0 ${netns}`];
    const other = { namespace: { ...namespace, inode: 1 } };
    for (const neighbour of [{ uptime: 984 }, earlier, undone, other, { ifName: "eth1" }, { role: "meta" as const }])
      expect(runsBeside(neighbour), JSON.stringify(neighbour)).toEqual(all);
    expect(runsBeside({ containerId: "blue", ...net1 })).toEqual(["tuning DEL eth0 ", `bridge DEL eth0 ${netns}`]);
  });

  test.each([false, true])(
    "reads no journal of another container if its namespace has a time, or it has none: %s",
    (noNamespace) => {
      const entries = [entryOf(), entryOf({ containerId: "red" })];
      const { asked } = del("bridge", {}, { entries, noNamespace });
      expect(asked.filter((path) => /wrappers(\/red|$)/.test(path))).toEqual([]);
    },
  );

  test("reads an address of the interface -1 as one of none, as early plugins in Go meant it", () => {
    const given = (ips: readonly unknown[]) => {
      const { runs, exitCode } = del("tuning", { prevResult: { ...bothResult, ips } }, {});
      return { exitCode, ips: (runs[0]?.stdin as { prevResult?: { ips?: unknown } } | undefined)?.prevResult?.ips };
    };
    const [none, first] = [{ address: "10.1.0.9/24" }, bothResult.ips[0]];
    expect(given([{ ...none, interface: -1 }, first])).toEqual(given([{ ...none, interface: null }, first]));
    expect(given([{ ...none, interface: -1 }, first]).ips).toBeDefined();
    for (const malformed of [[null, first], [{ ...none, interface: "-1" }], {}])
      expect(given(malformed as unknown[])).toEqual({ exitCode: 0, ips: undefined });
  });

  test("of firewall names the addresses of its ADD as well, and none that another container has, unless it leases it itself", () => {
    const all = [2, 3, 4, 5, 6, 7].map((last) => ({ address: `10.1.0.${last}/24` }));
    const [kept, recorded, known, leased, both, former] = all;
    const added = { prevResult: { ips: [kept, recorded, known, former] } };
    const own = chainedOf("firewall", { configuration: { type: "firewall", ...added } });
    const theirs = entryOf({ containerId: "red", done: { addresses: ["10.1.0.3/20", "10.1.0.4/20"] } });
    const files = {
      "/var/lib/cni/networks/zone/10.1.0.5": "red\r\neth0",
      "/var/lib/cni/networks/zone/10.1.0.6": "blue\r\neth0",
      "/var/lib/cni/networks/other/10.1.0.6": "red\r\neth0",
    };
    const prevResult = { ips: [kept, recorded, leased, both] };
    const { runs } = del("firewall", { prevResult }, { entries: [own, theirs], files, answers: [exits(1), exits(0)] });
    const left = { stdin: { prevResult: { ips: [kept, both, former] } } };
    expect(runs).toMatchObject([left, left]);
  });

  test("of firewall has no address of another container that something else attached, beside a stray ADD of a wrapper's", () => {
    const own = chainedOf("firewall", { configuration: { type: "firewall" } });
    const stray = tryOf({ containerId: "red", stray: true, isGivenUp: true });
    const ips = [{ address: "10.1.0.2/24" }];
    const files = cached("zone", "eth0", { ips }, "red");
    const { runs } = del("firewall", { prevResult: { ips } }, { entries: [own, stray], files });
    expect(runs).toMatchObject([{ stdin: { prevResult: { ips: [] } } }]);
  });

  test("of firewall without an entry names the addresses of all interfaces: a plain one lets them through", () => {
    const { runs } = del("firewall", { ...renamed, prevResult: bothResult }, {});
    expect(runs).toMatchObject([{ stdin: { prevResult: { ips: bothResult.ips } } }]);
  });

  test("leaves what a stray ADD left beside a sibling that something else attached", () => {
    const stray = tryOf({ ...net1, ifName: "eth1", stray: true, isGivenUp: true });
    const known = cached("other", "net1", {});
    const runsWith = (left: Entry, files = {}) => runsOf(del("bridge", {}, { entries: [entryOf(), left], files }));
    expect(runsWith(stray, known)).toHaveLength(1);
    expect(runsWith(stray)).toHaveLength(2);
    expect(runsWith({ ...stray, stray: undefined }, known)).toHaveLength(2);
  });
});

describe("DEL of an entry, in detail", () => {
  const hostLocal = { ...added, ipam: { type: "host-local" } };
  const ofSibling = { ...net1, delegateNetwork: "zone" };

  test("leaves what was added before it, also if it is undone itself, and undoes what was given up before", () => {
    const given = tryOf({ ifName: "eth2", isGivenUp: true });
    const runsAfter = (own: Partial<Entry>) =>
      runsOf(del("bridge", {}, { entries: [eth1, given, entryOf(own)], links: [7, 0] }));
    expect(runsAfter({})).toEqual([`bridge DEL eth0 ${blue}`, "bridge DEL eth2 "]);
    expect(runsAfter(undone)).toEqual(["bridge DEL eth2 "]);
  });

  const bothMasqueraded = [{}, { ...ofSibling, ifName: "eth1" }].map((changes) =>
    entryOf({ ...changes, configuration: masquerading }),
  );

  test.each<[string, readonly Entry[], readonly string[][]]>([
    ["a chained plugin's as well", [entryOf(), chainedOf("tuning")], [["tuning eth0"]]],
    ["one with a lease that a sibling may be getting", [entryOf(), tryOf(ofSibling)], [["bridge eth0"]]],
    ["one with masquerading that a sibling shares", bothMasqueraded, [["bridge eth0"]]],
  ])("is given up before a plugin runs if others may look at it: %s", (_, entries, expected) => {
    let during: string | undefined;
    const meanwhile = (files: Map<string, unknown>) => {
      during ??= (files.get(journal) as { text: string }).text;
    };
    del("bridge", {}, { entries, meanwhile });
    expect(linesIn(during).flatMap(({ line, ids }) => (line === "given up" ? [ids] : []))).toEqual(expected);
  });

  test("by the list's configuration goes through the list's jq program", () => {
    const jq: Machine["jq"] = () => ({ output: '{"by":"jq"}' });
    const files = journalFiles(entryOf());
    const outcome = del("bridge", { wrapper: { jq: ".by = 1" } }, { files, jq, answers: [exits(1), exits(0)] });
    expect(outcome.runs).toMatchObject([{ stdin: { type: "bridge" } }, { stdin: { by: "jq" } }]);
    expect(outcome.runs[0]?.stdin).not.toHaveProperty("by");
  });

  test("by the list's configuration fails as well: the runtime gets the second answer, and the gateways stay", () => {
    const answers = [exits(1, "first"), exits(2, "second"), exits(0, "third")];
    const ended = (ipam: object) => {
      const entries = [entryOf({ configuration: { ...added, ipam } })];
      const outcome = loggedDel("bridge", { ipam }, { entries, answers });
      const messages = messagesOf(outcome).filter((one) => one.startsWith("DEL"));
      return { stdout: outcome.stdout, runs: outcome.runs.length, messages };
    };
    const byList = "DEL failed with the configuration of ADD: running it once more with the list's";
    const gateway = "DEL failed with the configuration of ADD: running it once more without its gateways";
    const range = { type: "host-local", subnet: "10.1.0.0/24" };
    expect(ended(range)).toEqual({ stdout: "second", runs: 2, messages: [byList] });
    expect(ended({ ...range, gateway: "10.1.0.1" })).toEqual({ stdout: "third", runs: 3, messages: [byList, gateway] });
  });

  test.each([
    ["that was in the list gets the ADD's", "K8S=2", "K8S=2"],
    ["without any gets none", "", ""],
  ])("that no call is for: CNI_ARGS of a plugin %s", (_, args, expected) => {
    const { runs } = del("bridge", {}, { entries: [entryOf(), chainedOf("tuning", { args })] }, { CNI_ARGS: "K8S=1" });
    expect(runs.map(({ env: { CNI_ARGS } }) => CNI_ARGS)).toEqual([expected, "K8S=1"]);
  });

  test("takes the version and the capabilities from the runtime's call, and the rest from its ADD; the list's, the network", () => {
    const configuration = { ...added, name: "older", cniVersion: "0.4.0", runtimeConfig: { mac: "a" } };
    const machine = { entries: [entryOf({ delegateNetwork: "older", configuration })], answers: [exits(1), exits(0)] };
    const runtimeConfig = { ips: ["10.1.0.2/24"] };
    const { runs } = del("bridge", { runtimeConfig, token: "new", wrapper: { network: "newer" } }, machine);
    const both = { name: "older", cniVersion: "1.0.0", runtimeConfig };
    expect(runs).toMatchObject([{ stdin: both }, { stdin: { ...both, token: "new" } }]);
    expect(del("bridge", {}, machine).runs[0]?.stdin).toMatchObject({ runtimeConfig: { mac: "a" } });
  });

  test("removes an interface of its name in the namespace that is there now, and keeps the lease for its own DEL", () => {
    const files = journalFiles(entryOf({ namespace: elsewhere, configuration: hostLocal }));
    const outcome = del("bridge", { prevResult: macvlanResult }, { files });
    expect(runsOf(outcome)).toEqual([`bridge DEL eth0 ${blue}`, "bridge DEL eth0 "]);
    expect(outcome.runs).toMatchObject([
      { stdin: { ipam: { type: "static" }, prevResult: macvlanResult } },
      { stdin: { ipam: { type: "host-local" }, prevResult: macvlanResult } },
    ]);
  });

  test.each<[string, string, string, string, boolean]>([
    ["of another container lists it", "red", "eth0", blue, true],
    ["of its own lists it", "blue", "eth0", blue, false],
    ["of another container lists another name", "red", "eth1", blue, false],
    ["of another container lists it at another path", "red", "eth0", "/run/netns/red", false],
  ])("leaves that interface if libcni's result %s", (_, containerId, name, sandbox, stays) => {
    const interfaces = ["lo", name].map((one) => ({ name: one, sandbox }));
    const files = cached("zone", "eth0", { interfaces }, containerId);
    const outcome = del("bridge", {}, { entries: [entryOf({ namespace: elsewhere })], files });
    const own = "bridge DEL eth0 ";
    expect(runsOf(outcome)).toEqual(stays ? [own] : [`${own}${blue}`, own]);
  });

  test("with masquerading removes that interface at the second try: other rules may hold the chain", () => {
    const files = journalFiles(entryOf({ namespace: elsewhere, configuration: masquerading }));
    const outcome = del("bridge", {}, { files, answers: [exits(3), exits(0), exits(0)] });
    expect(runsOf(outcome)).toEqual([`bridge DEL eth0 ${blue}`, `bridge DEL eth0 ${blue}`, "bridge DEL eth0 "]);
    expect(outcome.exitCode).toBe(0);
  });

  test("stays as it is if that interface cannot be removed, and the runtime gets the answer", () => {
    const files = journalFiles(entryOf({ namespace: elsewhere }));
    const outcome = del("bridge", {}, { files, answers: [exits(3, "busy"), exits(0)] });
    expect(outcome).toMatchObject({ exitCode: 3, stdout: "busy", runs: [{}] });
    expect(outcome.files[journal]).not.toContain("undone");
  });

  test("that would harm a sibling's is skipped, which the log tells, and the journal goes", () => {
    const entries = [{}, ofSibling].map((one, index) => entryOf({ ...one, done: { ...sinceThen, made: 7 + index } }));
    const outcome = loggedDel("bridge", {}, { entries, links: [8] });
    expect([outcome.runs, Object.keys(outcome.files)]).toEqual([[], ["/var/lib/cni/wrappers/blue/other:net1"]]);
    const why = "the interface and its leases belong to another attachment of this container";
    expect(messagesOf(outcome)).toEqual([`DEL of bridge for eth0 is skipped: ${why}`]);
  });

  test("that dies leaves nothing of a sibling that waited for it", () => {
    const waiting = chainedOf("portmap", { ...net1, isGivenUp: true });
    const answers = [{ ended: "signal", signal: "SIGKILL" }, exits(0)] as const;
    const outcome = del("portmap", { prevResult: bothResult }, { entries: [chainedOf("portmap"), waiting], answers });
    expect(outcome.exitCode).toBe(1);
    expect(outcome.files).toEqual({});
  });

  test("gets the interfaces that its ADD added, also if an older result does not list them, each once", () => {
    const vrf0 = { name: "vrf0", sandbox: blue };
    const entries = [chainedOf("tuning", { done: { ...sinceThen, added: [vrf0] } })];
    const [eth0] = macvlanResult.interfaces;
    for (const interfaces of [[eth0], [eth0, vrf0], [eth0, { ...vrf0, name: "x" }]]) {
      const { runs } = del("tuning", { prevResult: { ...macvlanResult, interfaces } }, { entries });
      expect(runs[0]?.stdin).toHaveProperty("prevResult.interfaces", [eth0, vrf0]);
    }
  });

  test.each<[string, string, Entry, object]>([
    ["a chained plugin gets all of it", "gets all of it", chainedOf("tuning", { ifName: "eth1" }), bothResult],
    ["one that makes an interface gets none", "gets no prevResult", entryOf({ ifName: "eth1" }), macvlanResult],
  ])("with an interface that prevResult lacks, or with a wrong index in it: %s", (_, words, entry, prevResult) => {
    const wrong = { ...bothResult, ips: [{ address: "10.1.0.2/24", interface: 9 }] };
    const missing = { ...prevResult, interfaces: [bothResult.interfaces[0]], ips: [] };
    const { role } = entry;
    for (const [given, why] of [
      [wrong, "invalid prevResult: prevResult.ips[0].interface is outside the list of 4 interfaces"],
      [missing, "interface eth1 is not in prevResult"],
    ] as const) {
      const stdin = { prevResult: given, wrapper: { ifName: "eth1", role } };
      const own = { ...entry, type: "unknown", path: "/opt/cni/bin/unknown" };
      const outcome = loggedDel("unknown", stdin, { entries: [own] });
      const messages = messagesOf(outcome).filter((one) => !one.startsWith("DEL"));
      expect(messages).toEqual([`${why}: the delegate ${words}`]);
    }
  });
});

describe("DEL of an entry removes an interface of its name that is not its own", () => {
  const made = { ...net1, done: { ...sinceThen, made: 9 } };
  const own = entryOf({ type: "macvlan" });
  const failed = tryOf({ type: "macvlan", namespace: elsewhere });
  const alone = ["macvlan DEL eth0 "];
  const [givenUp, ofSibling] = [entryOf({ ...made, isGivenUp: true }), `bridge DEL eth0 ${blue}`];
  const both = [`macvlan DEL eth0 ${blue}`, ...alone];

  test.each<[string, Entry, Entry[], string[]]>([
    ["beside nobody", own, [], both],
    ["but not a sibling's", own, [entryOf(made)], alone],
    ["but not one that a sibling has given up: its own DEL removes that", own, [givenUp], [...alone, ofSibling]],
    ["beside a sibling that is undone", own, [entryOf({ ...made, ...undone })], both],
    ["beside a sibling with another name", own, [entryOf({ ...made, ifName: "net1" })], both],
    ["beside a sibling elsewhere", own, [entryOf({ ...made, namespace: elsewhere })], both],
    ["after a failed ADD in another namespace", failed, [], both],
    ["whatever a failed ADD elsewhere found and left", { ...failed, before: 9, failed: { left: 5 } }, [], both],
  ])("%s", (_, own, siblings, expected) => {
    expect(runsOf(del("macvlan", {}, { entries: [own, ...siblings], links: [9] }))).toEqual(expected);
  });

  test("but a chained plugin makes none, and without a namespace there is none", () => {
    const tuning = journalFiles(chainedOf("bandwidth", { namespace: elsewhere }));
    expect(runsOf(del("bandwidth", {}, { files: tuning, links: [9] }))).toEqual(["bandwidth DEL eth0 "]);
    const macvlan = journalFiles(entryOf({ type: "macvlan" }));
    expect(runsOf(del("macvlan", {}, { files: macvlan, links: [9], noNamespace: true }))).toHaveLength(1);
  });
});

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
    const written = { id: "", uptime: 1000, path: "", checksum: "", before: undefined, done: { addresses: [] } };
    const as = entryOf({ ...written, configuration });
    const call = { delegate: "bridge", environment: {}, configuration };
    expect(planned({})).toEqual({ do: "remove", removals: [{ call, as }], entries: [] });
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

  test("has no other interface for ipvlan without a master: a plain bandwidth, the list's last plugin, adds its device", () => {
    const own = entryOf({ type: "ipvlan", ifName: "eth1" });
    const prevResult = { ...bothResult, interfaces: [...bothResult.interfaces, { name: "bwp0a1b2c3d4e5f" }] };
    const stdin = { wrapper: { ifName: "eth1" }, prevResult };
    expect(shownIn(del("ipvlan", stdin, { entries: [own] }))).toMatchObject([{ interfaces: [{ name: "eth1" }] }]);
  });

  test("of a version without chains goes to the plugin as it came", () => {
    const stdin = { cniVersion: "0.2.0", prevResult: { ip4: { ip: "10.1.0.2/24" } } };
    const shown = { cniVersion: "0.2.0", ip4: { ip: "10.1.0.2/24" } };
    expect(shownIn(del("tuning", stdin, { entries: [chainedOf("tuning")] }))).toEqual([shown]);
  });
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
