import { describe, expect, test } from "vitest";
import { type Call, callWrapper, exits, type Machine, type Outcome, planOf, printed } from "../support/fake-host.ts";
import { chainedOf, entriesIn, entryOf, journal, journalFiles } from "../support/journals.ts";
import { blue, requestOf } from "../support/requests.ts";
import { macvlanResult } from "../support/results.ts";

const own = { family: "inet", local: "172.16.5.2", prefixlen: 20, scope: "global" };
const linkLocal = { family: "inet6", local: "fe80::2", prefixlen: 64, scope: "link" };
const fixed = { family: "inet6", local: "fd00::2", prefixlen: 64, scope: "global" };
const routed = { family: "inet6", local: "2001:db8::5", prefixlen: 64, scope: "global", dynamic: true };
const tentative = { ...routed, tentative: true };
const unique = { ...routed, local: "fd00:1::5" };
const routes = [
  { dst: "default", dev: "eth0" },
  { dst: "default", gateway: "fe80::1", protocol: "ra" },
];
const looksFor = { address: "-json address show dev eth0", routes: "-json -6 route show default dev eth0" };

/** ip(8) that shows these addresses, one look after the other, and then the last ones. */
function shows(...looks: (readonly object[])[]): { readonly ip: NonNullable<Machine["ip"]>; looks(): number } {
  let count = 0;
  return {
    ip: (args, input, netns) => {
      const words = args.join(" ");
      if (netns !== blue || input !== "" || !Object.values(looksFor).includes(words)) throw new Error(`ip ${words}`);
      if (words === looksFor.routes) return JSON.stringify(routes);
      const addr_info = looks[Math.min(count++, looks.length - 1)];
      const others = { flags: [], addr_info: [] };
      return JSON.stringify([
        { ...others, ifname: "eth1" },
        { ifname: "eth0", flags: ["BROADCAST", "UP"], addr_info },
      ]);
    },
    looks: () => count,
  };
}

/** The same, with other routes. */
function withRoutes({ ip }: ReturnType<typeof shows>, text: string | undefined): typeof ip {
  return (args, ...rest) => (args.includes("route") ? text : ip(args, ...rest));
}

const fromRouter = { address: "2001:db8::5/64", gateway: "fe80::1", interface: 0 };
const result = { ...macvlanResult, cniVersion: "1.0.0" };
const zone = (slaac: object, more: object = {}) => ({ cniVersion: "1.0.0", name: "zone", wrapper: { slaac }, ...more });

function add(slaac: object, machine: Machine, call: Call = {}): Outcome {
  const stdin = zone(slaac);
  return callWrapper(
    { calledAs: "/opt/cni/bin/macvlan-wrapper", stdin, ...call },
    { answers: [exits(0, result), exits(0)], links: [0, 7], ...machine },
  );
}

/** The addresses in the result that the runtime gets. */
function addressesIn(outcome: Outcome): string[] {
  return (printed(outcome).ips as { address: string }[]).map(({ address }) => address);
}

function doneOf({ files }: Outcome) {
  return entriesIn(files[journal])[0]?.done;
}

describe("ADD", () => {
  test("reports the address behind the plugin's own, with the router, when it is no longer tentative", () => {
    const host = shows([own, linkLocal], [own, tentative], [own, routed]);
    const outcome = add({}, host);
    expect(printed(outcome)).toEqual({ ...result, ips: [...result.ips, fromRouter] });
    expect(host.looks()).toBe(3);
    expect(outcome.stderr).toBe("");
    // No later ADD may ask the plugin for it.
    expect(doneOf(outcome)).toMatchObject({ addresses: ["172.16.5.2/24"], routed: ["2001:db8::5/64"] });
  });

  test("names the IP version where results have it", () => {
    const old = { ...result, cniVersion: "0.4.0" };
    const stdin = { ...zone({}), cniVersion: "0.4.0" };
    expect(printed(add({}, { ...shows([routed]), answers: [exits(0, old)] }, { stdin })).ips).toContainEqual(
      expect.objectContaining({ version: "6", address: "2001:db8::5/64" }),
    );
  });

  test("is all that a plugin's answer has of addresses and versions, if it has none itself", () => {
    const [eth0] = macvlanResult.interfaces;
    const outcome = add({}, { ...shows([routed]), answers: [exits(0, { interfaces: [eth0] })] });
    expect(printed(outcome)).toEqual({ interfaces: [eth0], ips: [fromRouter] });
  });

  test.each<[string, string | undefined, string?]>([
    ["the first of several default routers", JSON.stringify([...routes, { gateway: "fe80::9" }]), "fe80::1"],
    ["none if there is no default router", "[]"],
    ["none if that cannot be read", undefined],
    ["none if the default route has none", '[{"dst":"default","dev":"eth0"}]'],
  ])("reports as the gateway %s", (_, text, gateway) => {
    const ip = withRoutes(shows([routed]), text);
    const expected = { address: "2001:db8::5/64", interface: 0, ...(gateway && { gateway }) };
    expect(printed(add({}, { ip })).ips).toContainEqual(expected);
  });

  const others = [
    ...[fixed, { ...routed, temporary: true }, { ...routed, local: "2001:db8::6", deprecated: true }],
    ...[{ ...own, local: "172.16.5.9", dynamic: true }, { ...linkLocal, dynamic: true }, [], null as never],
  ];
  const inside = { ...routed, local: "2001:db8::fd1" };
  const duplicate = { ...unique, tentative: true, dadfailed: true };

  test.each<[string, (readonly object[])[], string[]]>([
    ["takes none of a plugin, for privacy or that a router has withdrawn", [[...others, unique]], ["fd00:1::5/64"]],
    ["reports one of the Internet first, whatever its end", [[unique, inside]], ["2001:db8::fd1/64", "fd00:1::5/64"]],
    ["waits for each", [tentative, routed].map((one) => [unique, one]), ["2001:db8::5/64", "fd00:1::5/64"]],
    ["reports a good one even if another one is a duplicate", [[routed, duplicate]], ["2001:db8::5/64"]],
  ])("of several addresses %s", (_, seen, expected) => {
    const host = shows(...seen);
    expect(addressesIn(add({}, host))).toEqual(["172.16.5.2/24", ...expected]);
    expect(host.looks()).toBe(seen.length);
  });

  test("reports an address once that the plugin reports, too", () => {
    const ips = [{ address: "2001:0db8::5/64", gateway: "fe80::9", interface: 0 }];
    const outcome = add({}, { ...shows([routed, unique]), answers: [exits(0, { ...result, ips })] });
    expect(printed(outcome).ips).toEqual([...ips, expect.objectContaining({ address: "fd00:1::5/64" })]);
  });

  test("does not report an address whose examination has found a duplicate", () => {
    const outcome = add({}, shows([{ ...routed, dadfailed: true }]));
    expect(outcome.stderr).toContain("another host has 2001:db8::5");
    expect(printed(outcome)).toEqual(result);
  });

  test.each([
    [{}, 51],
    [{ wait: "1s" }, 11],
    [{ wait: "30s" }, 301],
  ])("waits as long as %j says, ten times a second", (slaac, looks) => {
    const host = shows([linkLocal]);
    add(slaac, host);
    expect(host.looks()).toBe(looks);
  });

  test.each([-60_000, 60_000])("waits as long if somebody sets the clock by %d ms", (clockSetBy) => {
    const host = shows([linkLocal]);
    add({}, { ...host, clockSetBy });
    expect(host.looks()).toBe(51);
  });

  test("goes on waiting if ip(8) fails once", () => {
    const host = shows([tentative], [tentative], [routed]);
    const fails = [2, 4];
    let calls = 0;
    const ip: typeof host.ip = (...call) => (fails.includes(++calls) ? undefined : host.ip(...call));
    expect(printed(add({}, { ip })).ips).toHaveLength(2);
    expect(host.looks()).toBe(3);
  });

  const why = [
    ["no router", [[linkLocal]], "none came within 5s"],
    ["tentative for ever", [[tentative]], "2001:db8::5 is tentative after 5s"],
    ["a duplicate", [[{ ...tentative, dadfailed: true }]], "another host has 2001:db8::5"],
    ["a duplicate that the kernel has removed", [[tentative], [linkLocal]], "another host has 2001:db8::5"],
    ["a duplicate that came again", [[tentative], [], [tentative]], "another host has 2001:db8::5"],
    ["withdrawn", [[{ ...routed, deprecated: true }]], "2001:db8::5 is deprecated"],
  ] as const;

  test.each(why)("%s, and it is required: an error, and DEL", (_, seen, words) => {
    const outcome = add({ required: true }, shows(...seen));
    expect(printed(outcome)).toMatchObject({ code: 109, details: expect.stringMatching(RegExp(`^${words}\\. `)) });
    expect(outcome.runs.map(({ env }) => env.CNI_COMMAND)).toEqual(["ADD", "DEL"]);
    expect(outcome.files).toEqual({});
  });

  test.each([[["BROADCAST"]], [["NO-CARRIER", "BROADCAST", "UP"]], [undefined], ["UP"]])(
    "an interface that is down: %j",
    (flags) => {
      const ip = () => JSON.stringify([{ ifname: "eth0", flags, addr_info: flags === undefined ? {} : [] }]);
      expect(add({}, { ip }).stderr).toMatch(/: the interface is down, or has no carrier\n$/);
    },
  );

  test("without ip(8) it tries once more and does not wait", () => {
    let looks = 0;
    const ip = () => {
      looks++;
      return undefined;
    };
    const why = /: it cannot be read, are iproute2 \(ip\) and util-linux \(nsenter\) installed\?\n$/;
    expect(add({}, { ip }).stderr).toMatch(why);
    expect(looks).toBe(2);
  });

  test("a chained plugin does not wait, and neither does a plugin without the key", () => {
    const ip = () => {
      throw new Error("asked");
    };
    const stdin = zone({}, { prevResult: result });
    const call = { calledAs: "/opt/cni/bin/tuning-wrapper", stdin };
    expect(callWrapper(call, { answers: [exits(0, result)], ip }).exitCode).toBe(0);
    expect(add({}, { ip }, { stdin: { cniVersion: "1.0.0", name: "zone" } }).exitCode).toBe(0);
  });
});

describe("CHECK", () => {
  const ips = [...result.ips, fromRouter];
  const planned = (routedThen: readonly string[] | undefined) => {
    const done = { made: 7, addresses: ["172.16.5.2/24"], ...(routedThen && { routed: routedThen }) };
    const files = journalFiles(entryOf({ type: "macvlan", done }));
    return planOf(requestOf("CHECK", { prevResult: { ...result, ips } }), "macvlan-wrapper", { files });
  };

  test("is not asked about the addresses that came from a router", () => {
    const plan = planned(["2001:db8::5/64"]);
    expect(plan).toMatchObject({ call: { configuration: { prevResult: result } }, leftOut: ["routers' addresses"] });
  });

  test("of a plugin that moves routes does not miss the address of a router, if its interface's maker has noted it", () => {
    const route = { dst: "2001:db8::/64", dev: "eth0", table: "100" };
    const missing = (made: object) => {
      const done = { made: 7, addresses: [], routed: ["2001:db8::5/64"] };
      const maker = entryOf({ type: "macvlan", done, ...made });
      const moved = { addresses: [], routing: { routes: [route], rules: [] } };
      const beside = entryOf({ ifName: "eth1", done: { ...done, routed: [] } });
      const entries = [beside, maker, chainedOf("sbr", { done: moved })];
      const env = { CNI_COMMAND: "CHECK" };
      const stdin = { cniVersion: "1.0.0", name: "zone", prevResult: { ...result, ips: ips.slice(1) } };
      const call = { calledAs: "/opt/cni/bin/sbr-wrapper", stdin, env };
      const outcome = callWrapper(call, { files: journalFiles(...entries), ip: () => "[]\n[]\n[]\n" });
      return outcome.exitCode === 0 ? [] : printed(outcome).details;
    };
    const all = expect.stringContaining("missing: address 2001:db8::5/64, route 2001:db8::/64 table 100");
    expect(missing({})).toEqual([]);
    expect(missing({ ifName: "eth2" })).toEqual(all);
    expect(missing({ isGivenUp: true, isUndone: true })).toEqual(all);
    expect(missing({ done: undefined })).toEqual(all);
  });
});
