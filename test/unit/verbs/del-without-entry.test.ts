import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../shared/protocol/json.ts";
import { del, loggedDel, runsOf } from "../support/dels.ts";
import { exits, messagesOf } from "../support/fake-host.ts";
import { appearing, cached, chainedOf, entryOf, journalFiles, net1 } from "../support/journals.ts";
import { blue } from "../support/requests.ts";
import { bothResult } from "../support/results.ts";

/** The result of an attachment of the container in libcni's cache, with these interfaces. */
const cachedWith = (network: string, ifName: string, ...names: readonly string[]) =>
  cached(network, ifName, { interfaces: names.map((name) => ({ name, sandbox: blue })) });

describe("DEL without an entry", () => {
  test("leaves the interface of a neighbour whose namespace is at the path by now", () => {
    const entries = [entryOf({ containerId: "red" })];
    expect(runsOf(del("bridge", {}, { entries }))).toEqual(["bridge DEL eth0 "]);
    expect(runsOf(del("bridge", { prevResult: bothResult }, { entries }))).toEqual(["bridge DEL eth0 "]);
    expect(runsOf(del("tuning", { prevResult: bothResult }, { entries }))).toEqual(["tuning DEL eth0 "]);
    const earlier = [entryOf({ containerId: "red", bootId: "earlier" })];
    expect(runsOf(del("bridge", {}, { entries: earlier }))).toEqual([`bridge DEL eth0 ${blue}`]);
  });

  test.each<[string, readonly (number | undefined)[], string]>([
    ["bridge", [0], ""],
    ["tuning", [0], ""],
    ["bridge", [undefined], blue],
    // It frees its leases only in a namespace.
    ["host-device", [0], blue],
    // These have nothing in it, or nobody knows.
    ["firewall", [0], blue],
    ["unknown", [0], blue],
  ])(
    "of %s, with interfaces %j, gets the namespace %j: a sibling's ADD may make the interface next",
    (plugin, links, netns) => {
      expect(runsOf(del(plugin, { prevResult: bothResult }, { links }))).toEqual([`${plugin} DEL eth0 ${netns}`]);
    },
  );

  test("of vlan that fails without its interface is that of its IPAM plugin: the master may be in a namespace that is gone", () => {
    const config = { ipam: { type: "host-local" }, prevResult: bothResult };
    const runs = (link: number) => runsOf(del("vlan", config, { links: [link], answers: [exits(1), exits(0)] }));
    expect(runs(0)).toEqual(["vlan DEL eth0 ", "host-local DEL eth0 "]);
    expect(new Set(runs(7))).toEqual(new Set([`vlan DEL eth0 ${blue}`]));
  });

  test("runs first in the network that has its lease", () => {
    const renamed = { wrapper: { ifName: "eth1" }, ipam: { type: "host-local" }, prevResult: bothResult };
    const networks = (network: string) => {
      const files = { [`/var/lib/cni/networks/${network}/10.1.0.2`]: "blue\r\neth1" };
      return del("bridge", renamed, { files }).runs.map(({ stdin }) => (stdin as JsonObject).name);
    };
    expect(networks("zone-eth1")).toEqual(["zone-eth1", "zone"]);
    expect(networks("zone")).toEqual(["zone", "zone-eth1"]);
    const another = { "/var/lib/cni/networks/zone-eth1/10.1.0.2": "blue\r\neth0" };
    expect(del("bridge", renamed, { files: another }).runs[0]?.stdin).toMatchObject({ name: "zone" });
  });
});

describe("DEL of an attachment without an entry, by its evidence", () => {
  const sibling = journalFiles(entryOf({ ...net1, delegateNetwork: "other", ifName: "net1" }));
  const listing = (name: string) => ({ prevResult: { interfaces: [{ name, sandbox: blue }] } });
  const byName = [`bridge DEL eth0 ${blue}`];
  const ofTuning = journalFiles(chainedOf("tuning"));

  test.each<[string, JsonObject, Record<string, string>, string[]]>([
    ["none, and nothing else: it runs by name", {}, {}, byName],
    ["none, and a sibling", {}, sibling, []],
    ["none, and another plugin of the attachment", {}, ofTuning, []],
    ["none, and libcni's result of another attachment", {}, cachedWith("other", "net1", "net1"), []],
    ["prevResult, and a sibling", listing("eth0"), sibling, byName],
    ["a result, and a sibling", {}, { ...cachedWith("zone", "eth0", "eth0"), ...sibling }, byName],
    ["a result that lists no interface", {}, cachedWith("zone", "eth0"), byName],
    ["a result that lists it second", {}, cachedWith("zone", "eth0", "eth5", "eth0"), byName],
    ["a result that lists others", {}, cachedWith("zone", "eth0", "eth5"), ["bridge DEL eth0 "]],
    ["a prevResult without interfaces", { prevResult: {} }, {}, byName],
    ["a prevResult with others", listing("eth5"), {}, ["bridge DEL eth0 "]],
  ])("%s", (_, stdin, files, expected) => {
    expect(runsOf(del("bridge", stdin, { files }))).toEqual(expected);
  });

  test.each<[string, Record<string, string>, string[]]>([
    ["portmap", ofTuning, [`portmap DEL eth0 ${blue}`]],
    ["unknown", ofTuning, []],
  ])("none, of %s beside a wrapped plugin of the attachment: it may have been plain", (plugin, files, expected) => {
    expect(runsOf(del(plugin, {}, { files }))).toEqual(expected);
  });
});

describe("DEL of an attachment without an entry", () => {
  const renamed = { wrapper: { ifName: "eth1" }, prevResult: bothResult };
  const lease = (network: string) => ({ [`/var/lib/cni/networks/${network}/10.1.0.2`]: "blue\r\neth1" });
  const hostLocal = { ...renamed, ipam: { type: "host-local" } };
  const ofZone = { wrapper: { ifName: "eth1", network: "zone" } };

  test("removes the files that 0.2.0 kept of it, and no others", () => {
    const ours = ["zone:blue:eth0:bridge", "zone:blue:eth0:portmap", ".zone:blue:eth0:bridge.7"];
    const theirs = [
      "zone:blue:eth1:bridge",
      "x-zone:blue:eth0:bridge",
      "zone:red:eth0:bridge",
      ".zone:red:eth0:bridge.7",
    ];
    const files = [...ours, ...theirs].map((name) => [`/var/lib/cni/wrappers/${name}`, "1"]);
    const left = Object.keys(del("bridge", {}, { files: Object.fromEntries(files) }).files);
    expect(left).toEqual(theirs.map((name) => `/var/lib/cni/wrappers/${name}`));
  });

  test("frees the leases of both networks, but removes the interface once", () => {
    expect(runsOf(del("bridge", renamed, {}))).toEqual([`bridge DEL eth1 ${blue}`, "bridge DEL eth1 "]);
  });

  test.each<[string, JsonObject, string[]]>([
    ["portmap", {}, ["zone", "zone-eth1"]],
    ["bandwidth", {}, ["zone", "zone-eth1"]],
    ["unknown", {}, ["zone", "zone-eth1"]],
    ["unknown", { role: "meta" }, ["zone-eth1"]],
    ["tuning", {}, ["zone-eth1"]],
  ])(
    "of %s with %j, which was plain or the first to be wrapped, runs in the networks %j",
    (plugin, wrapper, networks) => {
      const stdin = { wrapper: { ifName: "eth1", ...wrapper }, prevResult: bothResult };
      const { runs } = del(plugin, stdin, {});
      expect(runs).toMatchObject(networks.map((name) => ({ env: { CNI_NETNS: blue }, stdin: { name } })));
      expect(runs).toHaveLength(networks.length);
    },
  );

  test("with ipMasq finds its rules by prevResult's addresses, also those that are named by the second network", () => {
    const asked: string[] = [];
    const ip = (_: unknown, commands: string) => String(asked.push(commands));
    const { runs } = del("bridge", { ...renamed, ipMasq: true }, { ip });
    const lent = expect.stringMatching(/^\/run\/netns\/cni-wrappers-/);
    expect(runs.map(({ env, stdin }) => [(stdin as JsonObject).name, env.CNI_NETNS])).toEqual([
      ["zone", blue],
      ["zone-eth1", lent],
    ]);
    expect(asked.join("").match(/\S+ dev eth1/g)).toEqual(["172.26.64.2/20 dev eth1", "172.26.64.2/20 dev eth1"]);
  });

  test("with ipMasq passes although its network has no chain: bridge 1.3.0 fails if it finds an address, but no chain", () => {
    const ended = (config: JsonObject, ...answers: ReturnType<typeof exits>[]) => {
      const outcome = del("bridge", config, { ip: () => "", links: [0], answers });
      return { exitCode: outcome.exitCode, lent: outcome.runs.map(({ env }) => env.CNI_NETNS !== "") };
    };
    const twice = [exits(1), exits(0)];
    const inBoth = { exitCode: 0, lent: [true, false, true, false] };
    expect(ended({ ...renamed, ipMasq: true }, ...twice, ...twice)).toEqual(inBoth);
    const ofOther = { ...renamed, ipMasq: true, wrapper: { ifName: "eth1", network: "disc" } };
    expect(ended(ofOther, ...twice)).toEqual({ exitCode: 0, lent: [true, false] });
    expect(ended({ ...ofOther, ipMasq: false }, exits(1))).toEqual({ exitCode: 1, lent: [false] });
  });

  test("keeps the path of a namespace that is gone: some plugins free nothing without one", () => {
    const machine = { entries: [entryOf({ ...net1, delegateNetwork: "other" })], noNamespace: true };
    expect(runsOf(del("bridge", { prevResult: bothResult }, machine))).toEqual([`bridge DEL eth0 ${blue}`]);
  });

  test.each([
    ["passes in both", [exits(0, "one"), exits(0, "two")], 2, 0, "two"],
    ["fails in the first", [exits(3, "one"), exits(0, "two")], 2, 3, "one"],
    ["fails in the second, twice: others of the list share it", [exits(0, "one"), exits(4, "two")], 3, 4, "two"],
    ["fails in both", [exits(3, "one"), exits(4, "two")], 3, 3, "one"],
  ])("%s: the runtime gets the first failed answer, or the last", (_, answers, runs, exitCode, stdout) => {
    const outcome = del("bridge", hostLocal, { files: lease("zone-eth1"), answers });
    expect(outcome).toMatchObject({ exitCode, stdout });
    expect(outcome.runs).toHaveLength(runs);
  });

  test("fails in the list's network, and a sibling has got its lease meanwhile: the first answer stands", () => {
    const meanwhile = appearing(entryOf({ ...net1, ifName: "eth1", delegateNetwork: "zone" }));
    const outcome = del("bridge", ofZone, { answers: [exits(3, "one"), exits(0)], meanwhile });
    expect(outcome).toMatchObject({ exitCode: 3, stdout: "one", runs: [{}] });
  });

  test.each([0, 3])("runs a plugin once whose rules come back, and passes its answer on: %i", (exitCode) => {
    const answers = [exits(exitCode, "gone"), exits(0)];
    const outcome = del("portmap", { prevResult: bothResult }, { answers });
    expect(outcome).toMatchObject({ exitCode, stdout: "gone", runs: [{ how: "spawn" }] });
  });

  test.each<[string, string, JsonObject, string]>([
    ["in a network of its own", "bridge", { wrapper: { ifName: "eth1", network: "disc" } }, "exec"],
    ["in the list's network, with a name of its own", "bridge", ofZone, "spawn"],
    ["chained", "tuning", ofZone, "exec"],
  ])("replaces the process if nothing depends on the answer: %s", (_, plugin, stdin, how) => {
    expect(del(plugin, { prevResult: bothResult, ...stdin }, {}).runs).toMatchObject([{ how }]);
  });

  test("that is not in prevResult: a creator gets none, and a chained plugin all of it", () => {
    const prevResult = { interfaces: [{ name: "eth5", sandbox: blue }] };
    const given = (plugin: string) => {
      const outcome = loggedDel(plugin, { prevResult }, {});
      return [...outcome.runs.map(({ stdin }) => (stdin as JsonObject).prevResult), ...messagesOf(outcome)];
    };
    const missing = "interface eth0 is not in prevResult: the delegate gets";
    expect(given("bridge")).toEqual([undefined, `${missing} no prevResult`]);
    expect(given("tuning")).toEqual([expect.objectContaining(prevResult), `${missing} all of it`]);
  });

  // ipvlan's DEL takes its master from prevResult, and fails if that has more than one interface (loadConf in ipvlan.go).
  test.each([
    ["a creator gets its own interface alone", "ipvlan", ["eth1"], 0],
    ["a chained plugin gets the host-side ones, too", "tuning", ["disc0", "veth1", "eth1"], 2],
    ["an unknown one gets them, too", "unknown", ["disc0", "veth1", "eth1"], 2],
  ])("after host-side interfaces in prevResult: %s", (_, plugin, names, index) => {
    const ips = [{ ...bothResult.ips[1], interface: index }];
    const prevResult = { interfaces: names.map((name) => expect.objectContaining({ name })), ips };
    expect(del(plugin, renamed, {}).runs[0]).toMatchObject({ stdin: { prevResult } });
  });

  test("with host-side interfaces alone in prevResult gets all of it", () => {
    const prevResult = { interfaces: [{ name: "disc0" }], ips: [{ address: "10.1.0.2/24", interface: 0 }] };
    expect(del("bridge", { prevResult }, {}).runs).toMatchObject([{ stdin: { prevResult } }]);
  });

  test("goes by the runtime's prevResult, even one that no plugin can read, and not by libcni's result", () => {
    const files = cachedWith("zone", "eth0", "eth5");
    const stdin = { cniVersion: "0.2.0", prevResult: { interfaces: [null] } };
    expect(runsOf(del("bridge", stdin, { files }))).toEqual([`bridge DEL eth0 ${blue}`]);
    expect(runsOf(del("bridge", {}, { files }))).toEqual(["bridge DEL eth0 "]);
  });

  test("gets no namespace if the boot cannot be read: it may be another container's by now", () => {
    const files = { "/proc/sys/kernel/random/boot_id": "" };
    expect(runsOf(del("bridge", { prevResult: bothResult }, { files }))).toEqual(["bridge DEL eth0 "]);
  });

  test("whose DEL would harm a sibling's says why it is skipped", () => {
    const skipped = (plugin: string, sibling: Parameters<typeof entryOf>[0]) => {
      const entries = [{ ...entryOf({ type: plugin }), ...net1, ...sibling }];
      return messagesOf(loggedDel(plugin, { prevResult: bothResult }, { entries }));
    };
    expect(skipped("bridge", { delegateNetwork: "zone" })).toEqual([
      "DEL of bridge for eth0 is skipped: the interface and its leases belong to another attachment of this container",
    ]);
    expect(skipped("bandwidth", { role: "meta", delegateNetwork: "zone" })).toEqual([
      "DEL of bandwidth for eth0 is skipped: its rules are shared",
    ]);
  });
});
