import { describe, expect, test } from "vitest";
import type { Host } from "../../../shared/host/host.ts";
import {
  type KernelRoute,
  type MovedRouting,
  missingRoutes,
  missingRouting,
  parseRouting,
  readRouting,
  withoutMoved,
} from "../../../shared/journal/routing.ts";
import type { CniResult } from "../../../shared/protocol/result.ts";
import { bothResult, bridgeResult } from "../support/results.ts";

// The output of iproute2 6.1 for `routingCommands`, shortened.
const ipv4 = `[{"dst":"default","gateway":"172.26.64.1","dev":"eth1","table":"100","flags":[]},{"dst":"172.26.64.0/20","dev":"eth1","table":"100","protocol":"kernel"},{"dst":"default","gateway":"172.16.5.1","dev":"eth0"},{"dst":"10.9.9.9","dev":"eth0"},{"type":"local","dst":"172.26.64.2","dev":"eth1","table":"local","protocol":"kernel"}]
[{"priority":0,"src":"all","table":"local"},{"priority":32765,"src":"172.26.64.2","table":"100"},{"priority":32764,"src":"10.0.0.0","srclen":8,"table":"7"}]
[{"ifname":"lo","addr_info":[]},{"ifname":"eth1","addr_info":[{"family":"inet","local":"172.26.64.2","prefixlen":20}]}]
`;
const ipv6 = `[{"dst":"default","dev":"eth1","table":"101"},{"dst":"fd00::1","dev":"eth0"},{"dst":"default","gateway":"fe80::1","dev":"eth0","protocol":"ra"},{"dst":"ff00::/8","dev":"eth1","table":"local","metric":256,"flags":[],"pref":"medium"}]
[{"priority":0,"src":"all","table":"local"}]
[]
`;
const routing = {
  routes: [
    { dst: "0.0.0.0/0", gateway: "172.26.64.1", dev: "eth1", table: "100" },
    { dst: "172.26.64.0/20", dev: "eth1", table: "100" },
    { dst: "0.0.0.0/0", gateway: "172.16.5.1", dev: "eth0", table: "main" },
    { dst: "10.9.9.9/32", dev: "eth0", table: "main" },
    { dst: "::/0", dev: "eth1", table: "101" },
    { dst: "fd00::1/128", dev: "eth0", table: "main" },
  ],
  rules: [
    { src: "172.26.64.2", table: "100" },
    { src: "10.0.0.0/8", table: "7" },
  ],
  addresses: [{ dev: "eth1", address: "172.26.64.2/20" }],
};
const record: MovedRouting = { routes: routing.routes, rules: routing.rules };

/** What is missing of eth1's routing. A host has all of it, unless the test says otherwise. */
function missing(more: Partial<Parameters<typeof missingRouting>[0]> = {}, result: CniResult = bridgeResult): string[] {
  return missingRouting({ moved: record, present: routing, ifName: "eth1", ...more }, result);
}

describe("the output of ip(8)", () => {
  test("is read, without the kernel's own entries and what a router advertised", () => {
    expect(parseRouting(ipv4, ipv6)).toStrictEqual(routing);
  });

  test("means the same with numbers", () => {
    const numbers: Record<string, string> = { local: "255", kernel: "2", ra: "9" };
    const numbered = (text: string) =>
      text.replace(/"(table|protocol)":"(local|kernel|ra)"/g, (_, key, name) => `"${key}":"${numbers[name]}"`);
    expect(numbered(ipv6)).not.toBe(ipv6);
    expect(parseRouting(numbered(ipv4), numbered(ipv6))).toStrictEqual(routing);
    const toMain = '[]\n[{"priority":9,"src":"10.1.0.2","table":"254"}]\n[]\n';
    expect(parseRouting(toMain, "[]\n[]\n[]\n")?.rules).toStrictEqual([{ src: "10.1.0.2", table: "main" }]);
  });

  test.each(["local", "255"])("has a route that a list puts into the kernel's own table, %s", (table) => {
    const text = `[{"dst":"10.55.0.0/16","dev":"eth1","table":"${table}","flags":[]}]\n[]\n[]\n`;
    const routes = [{ dst: "10.55.0.0/16", dev: "eth1", table }];
    expect(parseRouting(text, "[]\n[]\n[]\n")?.routes).toStrictEqual(routes);
    expect(missingRoutes([{ dst: "10.55.0.0/16", table: 255 }], { routes })).toEqual([]);
  });

  test("has a route of several hops once for each", () => {
    const hops = '{"gateway":"fd00:a::1","dev":"eth0","weight":1},{"gateway":"fd00:b::1","dev":"eth1","weight":1},null';
    const text = `[{"dst":"default","metric":1024,"nexthops":[${hops}]}]\n[]\n[]\n`;
    expect(parseRouting("[]\n[]\n[]\n", text)?.routes).toStrictEqual([
      { dst: "::/0", gateway: "fd00:a::1", dev: "eth0", table: "main" },
      { dst: "::/0", gateway: "fd00:b::1", dev: "eth1", table: "main" },
    ]);
  });

  test("fits a journal with a table's name", () => {
    const named = ([first, ...others]: MovedRouting["routes"]) => [
      { ...first, table: "uplink" } as KernelRoute,
      ...others,
    ];
    const moved = { routes: named(routing.routes), rules: [{ src: "172.26.64.2", table: "uplink" }] };
    expect(missing({ moved })).toEqual([]);
    const inMain = routing.routes.map((route) => ({ ...route, table: "main" }));
    expect(missing({ moved, present: { ...routing, routes: inMain, rules: [] } })).toEqual([
      "rule from 172.26.64.2 lookup uplink",
      "route 0.0.0.0/0 via 172.26.64.1 table uplink",
      "route 172.26.64.0/20 table 100",
      "route ::/0 table 101",
    ]);
  });

  test.each([
    ["", ipv6],
    [ipv4, "[]\n[]"],
    ["no JSON\n[]\n[]", ipv6],
    ["[]", ipv6],
    ["[]\nno JSON\n[]", ipv6],
  ])("is not guessed at: %j", (one, other) => {
    expect(parseRouting(one, other)).toBeUndefined();
  });
});

test("blank lines of ip(8), entries that are not objects, and interfaces without addresses are ignored", () => {
  const odd =
    '[null,{"dst":"10.9.9.9","dev":"eth0"}]\n \n[7]\n\n[{"ifname":"lo"},{"ifname":"eth0","addr_info":[null]}]\n';
  expect(parseRouting(odd, "[]\n[]\n[]\n")).toStrictEqual({
    routes: [{ dst: "10.9.9.9/32", dev: "eth0", table: "main" }],
    rules: [],
    addresses: [],
  });
});

describe("a creator's CHECK after routes were moved", () => {
  const [all, inMain] = [{ dst: "0.0.0.0/0" }, { dst: "0.0.0.0/0", gw: "172.16.5.1" }];
  const others = [{ dst: "10.9.9.9/32" }, { dst: "192.0.2.0/24" }];
  const [own, other] = [{ dst: "10.5.0.0/16" }, { dst: "10.5.0.0/16", gw: "10.0.0.9" }];
  // In that case, the kernel's route has the gateway of the address.
  const moved = { ...record, routes: [{ ...own, gateway: "172.26.64.1", dev: "eth1", table: "100" }] };

  test.each<[string, CniResult, CniResult?, MovedRouting?]>([
    [
      "leaves out moved routes, and addresses whose subnet was moved",
      { ...bridgeResult, routes: [{ ...all, gw: "172.26.64.1" }, ...others, { dst: "::/0" }] },
      { ...bridgeResult, ips: [], routes: others },
    ],
    ["keeps a default route without a gateway, also in the main table", { routes: [all, inMain] }],
    ["keeps an address whose subnet is in no table: the creator reports it", { ips: [{ address: "10.0.0.2/24" }] }],
    ["leaves out a route without a gateway that was moved", { routes: [own, other] }, { routes: [other] }, moved],
    ["keeps a route without a destination", { routes: [{ gw: "172.26.64.1" }, { dst: 7, gw: "172.26.64.1" }] }],
  ])("%s", (_, result, shown = result, routing = record) => {
    expect(withoutMoved(result, [routing])).toStrictEqual(shown);
  });
});

describe("missing routing", () => {
  const [address, rule] = ["address 172.26.64.2/20", "rule from 172.26.64.2 lookup 100"];
  const route = "route 0.0.0.0/0 via 172.26.64.1 table 100";
  const only = (dev: string, address: string) => ({ addresses: [{ dev, address }] });

  test.each([
    ["nothing", {}, []],
    ["the address", { addresses: [] }, [address]],
    ["the address on its interface", only("eth0", "172.26.64.2/20"), [address]],
    ["the address with its length", only("eth1", "172.26.64.2/24"), [address]],
    ["the address, where another of its subnet is there", only("eth1", "172.26.64.3/20"), [address]],
    ["the rule, where another address has one", { rules: [{ src: "172.26.64.9", table: "100" }] }, [rule]],
    ["the rule", { rules: [{ src: "172.26.64.2", table: "7" }] }, [rule]],
    ["a route", { routes: routing.routes.slice(1) }, [route]],
    ["all", { routes: [] }, [route, "route 172.26.64.0/20 table 100", "route ::/0 table 101"]],
  ])("%s", (_, less, expected) => {
    expect(missing({ present: { ...routing, ...less } })).toEqual(expected);
  });

  test.each([
    ["destination", { dst: "10.0.0.0/8" }],
    ["gateway", { gateway: "172.26.64.9" }],
    ["interface", { dev: "eth2" }],
    ["table", { table: "7" }],
  ])("a route, although one with another %s exists", (_, other) => {
    const [defaultRoute, ...others] = routing.routes;
    const present = { ...routing, routes: [{ ...defaultRoute, ...other } as KernelRoute, ...others] };
    expect(missing({ present })).toEqual([route]);
  });

  describe("of an interface with addresses of both families", () => {
    const rules = [
      { src: "172.26.64.2", table: "100" },
      { src: "fd00:26::2", table: "101" },
    ];
    const ips = [{ address: "172.26.64.2/20" }, { address: "fd00:26::2/64" }];
    const addresses = ips.map((ip) => ({ dev: "eth1", ...ip }));
    const moved = { ...record, routes: [], rules };
    const routed = ["fd00:26::2/64"];
    const own = addresses.slice(0, 1);
    const routeTo = (dst: string) => ({ dst, dev: "eth1", table: "101" });
    const ofPrefix = routeTo("fd00:26::/64");

    test.each<[string, object, Parameters<typeof missing>[0], string[]]>([
      ["nothing", {}, {}, []],
      ["the rule of either", { rules: [] }, {}, [rule, "rule from fd00:26::2 lookup 101"]],
      ["nothing, where the kernel took an address from a router away", { addresses: own }, { routed }, []],
      [
        "no route of an address from a router, which the kernel took away",
        { addresses: own },
        { routed, moved: { ...moved, routes: [ofPrefix, routeTo("fd00:26::2/128"), routeTo("fd00:99::/64")] } },
        ["route fd00:99::/64 table 101"],
      ],
      [
        "the route of a plugin's own address in a router's prefix, which the kernel keeps",
        {},
        { routed: ["fd00:26::5/64"], moved: { ...moved, routes: [ofPrefix] } },
        ["route fd00:26::/64 table 101"],
      ],
    ])("%s", (_, less, more, expected) => {
      const present = { routes: [], rules, addresses, ...less };
      expect(missing({ moved, present, ...more }, { ips })).toEqual(expected);
    });
  });

  test("of a result without addresses: the routes", () => {
    const present = { routes: [], rules: [], addresses: [] };
    const moved = { ...record, routes: routing.routes.slice(1, 2) };
    expect(missing({ moved, present }, {})).toEqual(["route 172.26.64.0/20 table 100"]);
  });

  test("the kernel's link-local route is not missed: vrf replaces it with that of the next interface in its table", () => {
    const ofInterface = (dst: string) => ({ dst, dev: "eth1", table: "1" });
    const moved = { routes: [ofInterface("fe80::/64"), ofInterface("fe80:1::/64")], rules: [] };
    const present = { ...routing, routes: [{ dst: "fe80::/64", dev: "eth2", table: "1" }] };
    expect(missing({ moved, present })).toEqual(["route fe80:1::/64 table 1"]);
  });

  test("another interface's routes and rules are left to its own wrapper", () => {
    const present = { ...routing, routes: [], rules: [], addresses: [{ dev: "eth0", address: "172.16.5.2/24" }] };
    const eth0 = { ...bothResult, ips: bothResult.ips.slice(0, 1) };
    expect(missing({ present, ifName: "eth0" }, eth0)).toEqual([]);
  });
});

test("the routes, rules and addresses of a namespace are those that ip(8) shows of IPv4 and IPv6, or unknown", () => {
  const read = (failing?: string) => {
    const calls: unknown[] = [];
    const ip = (...call: unknown[]) => {
      calls.push(call);
      return (call[0] as readonly string[]).includes(failing ?? "none") ? undefined : "[]\n[]\n[]\n";
    };
    return { routing: readRouting({ ip } as unknown as Host, "/run/netns/blue"), calls };
  };
  const shows = "route show table all\nrule show\naddress show\n";
  const { routing, calls } = read();
  const call = (...args: readonly string[]) => [["-json", ...args, "-batch", "-"], shows, "/run/netns/blue"];
  expect(calls).toEqual([call("-4", "-N"), call("-6", "-N")]);
  expect(routing).toBeDefined();
  // An older ip(8) has no -N.
  const older = read("-N");
  expect(older.calls).toEqual([call("-4", "-N"), call("-4"), call("-6", "-N"), call("-6")]);
  expect(older.routing).toBeDefined();
  expect([read("-4").routing, read("-6").routing]).toEqual([undefined, undefined]);
});
