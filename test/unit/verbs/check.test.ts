import { describe, expect, test } from "vitest";
import type { HandOver } from "../../../shared/call/plan.ts";
import { checksumOf, type Entry } from "../../../shared/journal/journal.ts";
import type { KernelRoute } from "../../../shared/journal/routing.ts";
import type { JsonObject } from "../../../shared/protocol/json.ts";
import type { CniResult } from "../../../shared/protocol/result.ts";
import { callWrapper, exits, type Machine, planOf } from "../support/fake-host.ts";
import { cached, chainedOf, entryOf, journal, journalFiles, tryOf, undone } from "../support/journals.ts";
import { blue, requestOf } from "../support/requests.ts";
import { bothResult, bridgeView } from "../support/results.ts";

function planned(configuration: JsonObject, prevResult: CniResult, calledAs = "bridge-wrapper", files = {}) {
  return planOf(requestOf("CHECK", { ...configuration, prevResult }), calledAs, { files }) as HandOver;
}

const ipam = { type: "host-local" };

test("the delegate gets its own attachment, under the name of its interface", () => {
  const configuration = { wrapper: { ifName: "eth1" }, bridge: "other", isGateway: true, ipam };
  expect(planned(configuration, bothResult)).toStrictEqual({
    do: "checkTwice",
    call: {
      delegate: "bridge",
      environment: { CNI_IFNAME: "eth1" },
      configuration: {
        ...{ cniVersion: "1.0.0", name: "zone-eth1", type: "bridge" },
        ...{ bridge: "other", isGateway: true, ipam, prevResult: bridgeView },
      },
    },
    network: "zone",
    netns: blue,
    leftOut: [],
  });
});

/** ip(8) that shows these routes, of IPv6 if they are. */
const showing = (routes: readonly object[]) => (args: readonly string[]) => {
  const isOfIpv6 = JSON.stringify(routes).includes("::");
  return args.includes("-6") === isOfIpv6 ? `${JSON.stringify(routes)}\n[]\n[]\n` : "[]\n[]\n[]\n";
};

/** The routes of prevResult that the plugin of eth1 gets, or the code of the error. */
function routesFor(calledAs: string, part: object, inKernel?: readonly object[], ...later: readonly Entry[]) {
  const prevResult = { ...bothResult, ...part };
  const stdin = { cniVersion: prevResult.cniVersion, name: "zone", wrapper: { ifName: "eth1" }, ipam, prevResult };
  const files = journalFiles(entryOf({ ifName: "eth1" }), ...later);
  const machine = { files, ...(inKernel && { ip: showing(inKernel) }) };
  const { stdout, runs } = callWrapper({ env: { CNI_COMMAND: "CHECK" }, stdin, calledAs }, machine);
  const shown = (runs[0]?.stdin as { prevResult?: CniResult } | undefined)?.prevResult;
  return shown ? shown.routes : JSON.parse(stdout).code;
}

/** What the plugin of eth1 does not get of a result with a route that the kernel has so. */
function leftOut(route: object, inKernel: object) {
  const configuration = { wrapper: { ifName: "eth1" }, ipam, prevResult: { ...bothResult, routes: [route] } };
  const plan = planOf(requestOf("CHECK", configuration), "bridge-wrapper", { ip: showing([inKernel]) });
  return (plan as HandOver & { readonly leftOut?: unknown }).leftOut;
}

describe("routes that the list puts into another table, in which no reference plugin looks", () => {
  const listed = [
    { dst: "10.97.0.0/16", table: 254 },
    { dst: "10.98.0.0/16" },
    { dst: "fd00:9::/64", table: 0 },
    // The kernel gets no number below 0 (netlink's RouteAdd), and takes its main table.
    { dst: "10.96.1.0/24", table: -1 },
  ];
  const route = { dst: "10.99.0.0/16", gw: "172.26.64.1", table: 200 };
  const kernel = { dst: "10.99.0.0/16", gateway: "172.26.64.1", dev: "eth1", table: "200" };

  const check = (calledAs: string, inKernel?: readonly object[], ...later: readonly Entry[]) =>
    routesFor(calledAs, { cniVersion: "1.1.0", routes: [...listed, route] }, inKernel, ...later);

  test.each(["200", "uplink"])("are there: the plugin does not get them, in the table that ip(8) calls %s", (table) => {
    expect(check("bridge-wrapper", [{ ...kernel, table }])).toEqual(listed);
  });

  test.each([
    ["in the main table", { ...kernel, table: "main" }],
    ["of another gateway", { ...kernel, gateway: "172.26.64.9" }],
    ["of another subnet", { ...kernel, dst: "10.96.0.0/16" }],
  ])("are missing, and one %s is no substitute: code 105", (_, other) => {
    expect(check("bridge-wrapper", [other])).toBe(105);
  });

  test.each([
    ["were gone after vrf's ADD are not asked for", [], listed],
    ["were there after it are", [kernel], 105],
  ])("are missing: those that %s", (_, routes: KernelRoute[], answer) => {
    const vrf = chainedOf("vrf", { ifName: "eth1", done: { addresses: [], routing: { routes, rules: [] } } });
    expect(check("bridge-wrapper", [], vrf)).toEqual(answer);
  });

  test("are among what is left out", () => {
    expect(leftOut(route, kernel)).toEqual(["routes of other tables"]);
  });

  test("cannot be read: the plugin gets them, and may find one alike in the main table, such as eth0's default route", () => {
    expect(check("bridge-wrapper")).toEqual([...listed, route]);
  });

  test.each(["tuning-wrapper", "mark-wrapper"])("a chained plugin and an unknown one get them: %s", (calledAs) => {
    expect(check(calledAs)).toEqual([...listed, route]);
  });
});

// In IPv6, `ip -6 route add` of a second interface's route to the same network makes one route with two next hops.
describe("IPv6 routes that the kernel joins with another interface's", () => {
  const [one, other] = [
    { dst: "fd00:9::/64", gw: "fd00:1::1" },
    { dst: "fd00:9:0::/64", gw: "fd00:2::1" },
  ];
  const near = { dst: "fd00:9::/64", gw: "fe80::1" };
  const hops = ["fd00:1::1", "fd00:2::1", "fe80::1"].map((gateway, index) => ({ gateway, dev: `eth${index % 2}` }));
  const joined = { dst: "fd00:9::/64", protocol: "static", nexthops: hops };

  const check = (routes: readonly object[], inKernel: readonly object[] | undefined, more: object = {}) =>
    routesFor("bridge-wrapper", { ips: [], routes, ...more }, inKernel);

  test.each([
    ["of two gateways", [one, other], []],
    ["of a gateway, and one without", [one, { dst: "fd00:9::/64" }], [{ dst: "fd00:9::/64" }]],
    ["of a link-local gateway, which the result lists once", [near], []],
  ])("are there: the plugin does not get them: %s", (_, routes, shown) => {
    expect(check(routes, [joined])).toEqual(shown);
  });

  test("are there, of a gateway in the subnet of both interfaces, which the result lists once: the plugin gets it from no other", () => {
    const [first, last] = [0, bothResult.interfaces.length - 1];
    const at = (index: number, address: string) => ({ interface: index, address });
    const both = [at(first, "fd00:1::2/64"), at(last, "fd00:1::3/64")];
    expect(check([one], [joined], { ips: both })).toEqual([]);
    const own = [at(first, "fd00:3::2/64"), at(last, "fd00:1::3/64"), at(last, "fd00:1::4/64")];
    expect(check([one], [joined], { ips: own })).toEqual([one]);
  });

  test.each([
    ["a gateway is gone", [{ ...joined, nexthops: hops.slice(1) }], [one]],
    ["they cannot be read", undefined, [one, other]],
  ])("%s: the plugin gets those that are not there", (_, inKernel, shown) => {
    expect(check([one, other], inKernel)).toEqual(shown);
  });

  test("the plugin gets every other one: of one interface alone, of IPv4, and to a network of its own", () => {
    expect(check([one, other], [joined], { interfaces: bothResult.interfaces.slice(-1) })).toEqual([one, other]);
    const apart = [one, { dst: "fd00:8::/64", gw: "fd00:2::1" }, { dst: "10.9.0.0/16", gw: "172.26.64.1" }];
    const kernel = apart.map(({ dst, gw }) => ({ dst, gateway: gw, dev: "eth1" }));
    expect(check(apart, kernel)).toEqual(apart);
  });

  test("a chained plugin gets them", () => {
    expect(routesFor("tuning-wrapper", { routes: [one, other] }, [joined])).toEqual([one, other]);
  });

  test("they are among what is left out", () => {
    expect(leftOut(near, joined)).toEqual(["joined routes"]);
  });
});

describe("the MAC of the bridge", () => {
  const gateway = { wrapper: { ifName: "eth1" }, bridge: "disc0", isGateway: true, ipam };
  const [, bridge, ...ports] = bothResult.interfaces;

  /** Whether the delegate compares it. */
  function shown(configuration: JsonObject, files: Record<string, string>): string {
    const stdin = { cniVersion: "1.0.0", name: "zone", ...configuration, prevResult: bothResult };
    const [run] = callWrapper({ env: { CNI_COMMAND: "CHECK" }, stdin }, { files }).runs;
    const { prevResult } = (run?.stdin ?? {}) as { prevResult?: CniResult };
    const [first, ...others] = prevResult?.interfaces ?? [];
    expect(others).toStrictEqual(ports);
    expect([bridge, { name: "disc0" }]).toContainEqual(first);
    return first?.mac ? "compared" : "left out";
  }

  const isSet = { "/sys/class/net/disc0/addr_assign_type": "3\n" };

  test.each([
    ["compared", { fixedMac: true as const }],
    ["left out", {}],
  ])("is %s if somebody has set it, and ADD saw %j", (outcome, seen) => {
    const done = { addresses: [], ...seen };
    const files = { ...isSet, ...journalFiles(entryOf({ ifName: "eth1", done })) };
    expect(shown(gateway, files)).toBe(outcome);
  });

  test.each([
    ["compared", "another device has it", "eth9", "02:00:00:00:00:51", "02:00:00:00:00:51"],
    ["compared", "no result has it", "disc0", "02:00:00:00:00:51", "02:00:00:00:00:52"],
    ["compared", "it is the printed one", "disc0", String(bridge?.mac), String(bridge?.mac)],
    ["compared", "neither the kernel nor another result says it", "disc0", undefined, undefined],
    ["left out", "another result has the one that it has now", "disc0", "02:00:00:00:00:51", "02:00:00:00:00:51"],
  ])("is %s although somebody has set it and ADD saw that: %s", (outcome, _, name, mac, present) => {
    const inside = { name, mac: "02:00:00:00:00:53", sandbox: "/run/netns/red" };
    const interfaces = [null, inside, { name, mac }];
    const files = {
      ...isSet,
      ...(present !== undefined && { "/sys/class/net/disc0/address": `${present}\n` }),
      ...cached("zone", "eth0", { interfaces }, "red"),
      ...cached("zone", "eth0", { interfaces: 7 }, "green"),
      ...journalFiles(entryOf({ ifName: "eth1", done: { addresses: [], fixedMac: true } })),
    };
    expect(shown(gateway, files)).toBe(outcome);
  });

  test("the kernel is not asked if the device has a name that none can have, or prevResult does not list it", () => {
    const prevResult = { interfaces: [{ name: "a/b", mac: "x" }] };
    const stdin = { cniVersion: "1.0.0", name: "zone", bridge: "a/b", prevResult };
    expect(callWrapper({ env: { CNI_COMMAND: "CHECK" }, stdin }).asked).not.toContain(undefined);
    expect(planned({ wrapper: { ifName: "eth0" }, bridge: "disc0" }, bothResult)).toHaveProperty("leftOut", []);
    expect(planned({ wrapper: { ifName: "eth1" }, bridge: "other" }, bothResult)).toHaveProperty("leftOut", []);
    expect(planned({ wrapper: { ifName: "eth1" }, bridge: "disc0" }, bothResult)).toHaveProperty("leftOut", ["MAC"]);
  });
});

describe("a plugin whose CHECK needs ipam", () => {
  const only = { interfaces: [{ name: "eth0", sandbox: blue }] };

  test("gets none if static is missing", () => {
    const stdin = { cniVersion: "1.0.0", name: "zone", prevResult: only };
    const given = (...plugins: readonly string[]) => {
      const inspect = (path: string) => (plugins.includes(path.slice(13)) ? "executable" : "missing");
      return callWrapper({ env: { CNI_COMMAND: "CHECK" }, stdin }, { inspect }).runs[0]?.stdin;
    };
    expect(given("bridge")).not.toHaveProperty("ipam");
    expect(given("bridge", "static")).toHaveProperty("ipam", { type: "static" });
  });

  test("gets static, too, if prevResult lists no interface", () => {
    expect(planned({}, { interfaces: [] }).call.configuration).toHaveProperty("ipam", { type: "static" });
  });
});

test("a missing attachment is an error, even next to a single other one", () => {
  expect(() => planned({ wrapper: { ifName: "eth1" } }, { interfaces: [{ name: "eth0", sandbox: blue }] })).toThrow(
    expect.objectContaining({ code: 103, details: expect.stringContaining("prevResult has eth0.") }),
  );
});

describe("the entry of the interface", () => {
  interface Around extends Machine {
    readonly wrapper?: JsonObject;
    readonly calledAs?: string;
  }
  const check = (
    entries: readonly Entry[],
    { wrapper = {}, calledAs = "bridge-wrapper", ...machine }: Around = {},
    more: { env?: Record<string, string>; stdin?: JsonObject } = {},
  ) => {
    const stdin = { cniVersion: "1.0.0", name: "zone", wrapper, prevResult: bothResult, ...more.stdin };
    const call = { calledAs: `/opt/cni/bin/${calledAs}`, env: { CNI_COMMAND: "CHECK", ...more.env }, stdin };
    return callWrapper(call, { files: journalFiles(...entries), ...machine });
  };
  const noRoutes = () => "[]\n[]\n[]\n";
  const moved = { dst: "10.99.0.0/16", dev: "eth1", table: "100" };
  const addressed = [{ ifname: "eth1", addr_info: [{ local: "172.26.64.2", prefixlen: 20 }] }];
  /** ip(8) that shows a route, and nothing else. */
  const ipWith = (route: object) => () => `${JSON.stringify([route])}\n[]\n[]\n`;
  /** The entry of sbr, which moved these routes of eth1. */
  const moverOf = (...routes: KernelRoute[]) =>
    chainedOf("sbr", { ifName: "eth1", done: { addresses: [], routing: { routes, rules: [] } } });
  const renamed = { ifName: "eth1" };
  const shown = ({ runs: [run] }: ReturnType<typeof check>) =>
    ((run?.stdin ?? {}) as { prevResult: CniResult }).prevResult;

  const made = entryOf({ ifName: "eth1", delegateNetwork: "other" });
  const chained = { calledAs: "tuning-wrapper" };
  const tuningOf = (ifName: string, delegateNetwork = "other") =>
    chainedOf("tuning", { id: delegateNetwork, ifName, delegateNetwork, checksum: checksumOf({ name: "zone" }) });
  const two = [tuningOf("eth1", "first"), tuningOf("eth1", "second")];

  test.each<[string, Entry[], Around, string]>([
    ["has the network of ADD, whatever the list says now", [made], {}, "other"],
    ["has its own network if another plugin made the interface", [{ ...made, type: "macvlan" }], {}, "zone-eth1"],
    ["has the network of a chained plugin's ADD", [tuningOf("eth1")], chained, "other"],
    ["has its own if a chained plugin's ADD was for another interface", [tuningOf("eth0")], chained, "zone-eth1"],
    ...["first", "second"].map((network): [string, Entry[], Around, string] => [
      `is the ${network} chained plugin's of this interface, although both blocks were edited`,
      ...([two, { ...chained, wrapper: { ...renamed, network } }, network] as const),
    ]),
  ])("%s", (_, entries, around, name) => {
    const { runs } = check(entries, { wrapper: renamed, ...around });
    expect(runs).toMatchObject([{ how: "exec", stdin: { name } }]);
  });

  test("may be of an ADD that has not passed", () => {
    const entries = [tryOf({ ifName: "eth1" }), tryOf({ type: "sbr", role: "meta", ifName: "eth1" })];
    expect(check(entries, { wrapper: renamed })).toMatchObject({ exitCode: 0, runs: [{}] });
    expect(check(entries, { wrapper: renamed, calledAs: "sbr-wrapper" })).toMatchObject({ exitCode: 0, runs: [{}] });
    expect(check([], { wrapper: renamed, calledAs: "sbr-wrapper" })).toMatchObject({ exitCode: 0, runs: [{}] });
  });

  test("a creator without one is asked again in the list's network", () => {
    const { runs, exitCode } = check([], { wrapper: renamed, answers: [exits(1), exits(0)] });
    const path = "/opt/cni/bin/bridge";
    expect(runs).toMatchObject([
      { how: "spawn", path, stdin: { name: "zone-eth1" } },
      { how: "spawn", path, stdin: { name: "zone" } },
    ]);
    expect(exitCode).toBe(0);
  });

  test.each([
    ["portmap", ["zone-eth1", "zone"]],
    ["tuning", ["zone-eth1"]],
  ])("a chained plugin without one is asked in the networks that its rules may be named by: %s", (plugin, networks) => {
    const ip = ipWith({ ...moved, dst: "172.26.64.0/20" });
    const answers = [exits(1), exits(0)];
    const { runs } = check([], { wrapper: renamed, calledAs: `${plugin}-wrapper`, answers, ip });
    // No address is left out.
    expect(runs).toMatchObject(networks.map((name) => ({ stdin: { name, prevResult: { ips: [{}] } } })));
    expect(runs).toHaveLength(networks.length);
  });

  test("a creator without one is asked again, which the log tells as a warning", () => {
    const env = { CNI_WRAPPERS_LOG: "/log" };
    const { log } = check([], { wrapper: renamed, answers: [exits(1), exits(0)] }, { env });
    expect(log.map(({ line }) => JSON.parse(line))).toMatchObject([
      { level: "warn", delegate: "bridge", ifName: "eth1", message: "delegate failed CHECK: it printed no CNI error" },
      { level: "warn", message: "the journal has no entry of the interface: asking again in the network zone" },
      { level: "info", delegate: "bridge", ifName: "eth1", message: "delegate passed CHECK" },
    ]);
    const inOwn = check([], { answers: [exits(1), exits(0)], ip: ipWith({ ...moved, dev: "eth0" }) }, { env });
    const [, { line } = { line: "{}" }] = inOwn.log;
    expect(JSON.parse(line).message).toBe(
      "the journal has no entry of the interface: asking again in the network zone",
    );
  });

  test("a creator without one passes without the address whose route a plugin has moved", () => {
    const ip = ipWith({ ...moved, dst: "172.26.64.0/20" });
    const { runs } = check([], { wrapper: renamed, answers: [exits(1), exits(0)], ip });
    expect(runs).toMatchObject([
      { stdin: { name: "zone-eth1", prevResult: { ips: [{}], routes: [{}, {}] } } },
      { stdin: { name: "zone-eth1", prevResult: { ips: [], routes: [{}, {}] } } },
    ]);
  });

  test("a creator without one is not asked there if it has its lease in the network of the wrapper", () => {
    const lease = "/var/lib/cni/networks/zone-eth1/172.26.64.2";
    const why = { code: 999, msg: "Failed to match addr 2001:db8::5/64 on interface eth1" };
    const later = { code: 999, msg: "host-local: Failed to find address" };
    const answers = [exits(1, why), exits(1, later)];
    const checkWith = (files: Record<string, string>) =>
      check([], { wrapper: renamed, files, answers }, { stdin: { ipam } });
    for (const broken of [{}, { [journal]: "no journal\n" }])
      expect(JSON.parse(checkWith({ [lease]: "blue\r\neth1", ...broken }).stdout)).toEqual(why);
    const asked = checkWith({ [lease]: "green\r\neth1" });
    expect(asked.runs).toHaveLength(2);
    // The last answer counts.
    expect(JSON.parse(asked.stdout)).toEqual(later);
  });

  test("a creator without one is run until it passes, and fails without its plugin", () => {
    const ip = ipWith(moved);
    const { runs, exitCode } = check([], { wrapper: renamed, answers: [exits(1), exits(1), exits(0)], ip });
    const kept = [{ dst: "10.98.0.0/16" }];
    expect(runs).toMatchObject([
      { stdin: { name: "zone-eth1", prevResult: { routes: [{ dst: "10.99.0.0/16" }, ...kept] } } },
      { stdin: { name: "zone-eth1", prevResult: { routes: kept } } },
      { stdin: { name: "zone", prevResult: { routes: kept } } },
    ]);
    expect(exitCode).toBe(0);
    expect(check([], { wrapper: renamed, ip }).runs).toHaveLength(1);
    const outcome = check([], { inspect: () => "missing" });
    expect(outcome).toMatchObject({ exitCode: 1, runs: [] });
    expect(JSON.parse(outcome.stdout)).toMatchObject({ code: 100 });
  });

  test("has the addresses from routers, which a creator does not get, and a chained plugin does", () => {
    const maker = entryOf({ ifName: "eth1", done: { addresses: [], routed: ["172.26.64.2/20"] } });
    const chained = { calledAs: "tuning-wrapper", wrapper: renamed };
    expect(shown(check([maker], { wrapper: renamed })).ips).toEqual([]);
    expect(shown(check([maker, chainedOf("tuning", { ifName: "eth1" })], chained)).ips).toMatchObject([
      { address: "172.26.64.2/20" },
    ]);
    const { ips: _, ...prevResult } = bothResult;
    const outcome = check([maker], { wrapper: renamed }, { stdin: { prevResult } });
    expect(outcome).toMatchObject({ exitCode: 0, runs: [{}] });
  });

  test("one in the list's own network is run once, if no route was moved", () => {
    expect(check([], { answers: [exits(1)] }).runs).toHaveLength(1);
    expect(check([], { wrapper: { ...renamed, network: "disc" }, answers: [exits(1)] }).runs).toHaveLength(1);
  });

  test("a chained plugin without one is handed over", () => {
    expect(check([], { calledAs: "tuning-wrapper" }).runs).toMatchObject([{ how: "exec" }]);
  });

  test("has the interfaces that the plugin added, which it gets as well", () => {
    const added = [{ name: "eth1", sandbox: blue }];
    const names = (entry: Entry, calledAs: string) =>
      shown(check([entry], { calledAs })).interfaces?.map(({ name }) => name);
    const done = { addresses: [], added };
    expect(names(entryOf({ done }), "bridge-wrapper")).toEqual(["eth0", "disc0", "veth1", "eth1"]);
    expect(names(chainedOf("calico", { done }), "calico-wrapper")).toEqual(["eth0", "disc0", "veth1", "eth1"]);
    expect(names(entryOf(), "bridge-wrapper")).toEqual(["eth0"]);
  });

  test("has the routes that a plugin moved: a creator does not look for them", () => {
    const mover = moverOf(moved);
    const creator = entryOf({ ifName: "eth1" });
    const dsts = (entry: Entry) => shown(check([creator, entry], { wrapper: renamed })).routes?.map(({ dst }) => dst);
    expect(dsts(mover)).toEqual(["10.98.0.0/16"]);
    expect(planned({ wrapper: renamed }, bothResult, "bridge-wrapper", journalFiles(creator, mover))).toMatchObject({
      do: "handOver",
      leftOut: ["moved routes"],
    });
    expect(dsts(moverOf({ ...moved, dev: "eth0" }))).toEqual(["10.98.0.0/16"]);
    expect(dsts({ ...mover, ...undone })).toContain("10.99.0.0/16");
    expect(dsts({ ...mover, namespace: { ...mover.namespace, inode: 1 } })).toContain("10.99.0.0/16");
  });

  test("lacks the routes that a later plugin replaced: vrf does, if two interfaces of one VRF have a route alike", () => {
    const other = { ...moved, dst: "10.97.0.0/16" };
    const later = { ...moverOf({ ...moved, dev: "eth2" }, other), id: "later", ifName: "eth2" };
    const entries = [entryOf({ ifName: "eth1" }), moverOf(moved, other), later];
    const dsts = (given: Entry[]) => shown(check(given, { wrapper: renamed })).routes?.map(({ dst }) => dst);
    expect(dsts(entries)).toEqual(["10.98.0.0/16"]);
    expect(dsts([...entries, moverOf({ ...moved, table: "main" })])).toEqual(["10.99.0.0/16", "10.98.0.0/16"]);
    const checkWith = (routes: KernelRoute[], given = entries) => {
      const ip = () => `${JSON.stringify(routes)}\n[]\n${JSON.stringify(addressed)}\n`;
      const { stdout } = check(given, { wrapper: renamed, calledAs: "sbr-wrapper", ip });
      return JSON.parse(stdout || "{}").details;
    };
    expect(checkWith([other])).toBeUndefined();
    expect(checkWith([])).toMatch(/^missing: route 10.97.0.0\/16 table 100\./);
    expect(checkWith([other], entries.slice(0, 2))).toMatch(/^missing: route 10.99.0.0\/16 table 100\./);
    const elsewhere = { ...later, namespace: { ...later.namespace, inode: 1 } };
    expect(checkWith([other], [...entries.slice(0, 2), elsewhere])).toMatch(
      /^missing: route 10.99.0.0\/16 table 100\./,
    );
  });

  test("of a plugin that moved routes: the wrapper looks for them itself", () => {
    const mover = moverOf(moved);
    const codeOf = (ip?: () => string) => {
      const { stdout } = check([mover], { wrapper: renamed, calledAs: "sbr-wrapper", ...(ip && { ip }) });
      return JSON.parse(stdout || "{}").code;
    };
    expect(codeOf()).toBe(106);
    expect(codeOf(noRoutes)).toBe(105);
    // Another chained plugin has not moved them.
    const other = check([mover], { wrapper: renamed, calledAs: "tuning-wrapper", ip: noRoutes });
    expect(other).toMatchObject({ exitCode: 0, runs: [{}] });
    expect(shown(other).routes).toEqual(bridgeView.routes);
    const unknown = chainedOf("mark", { ifName: "eth1" });
    const outcome = check([mover, unknown], { wrapper: renamed, calledAs: "mark-wrapper" });
    expect(shown(outcome).routes).toEqual(bridgeView.routes);
  });
});
