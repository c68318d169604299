import { describe, expect, test } from "vitest";
import {
  type KernelRoute,
  type MovedRouting,
  missingRouting,
  parseRouting,
  withoutMoved,
} from "../../../shared/journal/routing.ts";
import { bothResult, bridgeResult } from "../support/results.ts";

// The output of iproute2 6.1 for `routingCommands`, shortened.
const ipv4 = `[{"dst":"default","gateway":"172.26.64.1","dev":"eth1","table":"100","flags":[]},{"dst":"172.26.64.0/20","dev":"eth1","table":"100","protocol":"kernel"},{"dst":"default","gateway":"172.16.5.1","dev":"eth0"},{"dst":"10.9.9.9","dev":"eth0"},{"type":"local","dst":"172.26.64.2","dev":"eth1","table":"local"}]
[{"priority":0,"src":"all","table":"local"},{"priority":32765,"src":"172.26.64.2","table":"100"},{"priority":32764,"src":"10.0.0.0","srclen":8,"table":"7"}]
[{"ifname":"lo","addr_info":[]},{"ifname":"eth1","addr_info":[{"family":"inet","local":"172.26.64.2","prefixlen":20}]}]
`;
const ipv6 = `[{"dst":"default","dev":"eth1","table":"101"},{"dst":"fd00::1","dev":"eth0"},{"dst":"default","gateway":"fe80::1","dev":"eth0","protocol":"ra"}]
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

describe("the output of ip(8)", () => {
  test("is read, without the kernel's own entries and what a router advertised", () => {
    expect(parseRouting(ipv4, ipv6)).toStrictEqual(routing);
  });

  test.each([
    ["", ipv6],
    [ipv4, "[]\n[]"],
    ["no JSON\n[]\n[]", ipv6],
    ["{}\n[]\n[]", ipv6],
    ["[]", ipv6],
    ["[]\n[]", ipv6],
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
  test("leaves out moved routes, and addresses whose subnet was moved", () => {
    const routes = [
      { dst: "0.0.0.0/0", gw: "172.26.64.1" },
      { dst: "10.9.9.9/32" },
      { dst: "192.0.2.0/24" },
      { dst: "::/0" },
    ];
    expect(withoutMoved({ ...bridgeResult, routes }, record)).toStrictEqual({
      ...bridgeResult,
      ips: [],
      routes: [{ dst: "10.9.9.9/32" }, { dst: "192.0.2.0/24" }],
    });
  });

  test("keeps a default route without a gateway, which is also in the main table", () => {
    const shown = withoutMoved({ routes: [{ dst: "0.0.0.0/0" }, { dst: "0.0.0.0/0", gw: "172.16.5.1" }] }, record);
    expect(shown.routes).toHaveLength(2);
  });

  test("keeps an address whose subnet is in no table, so that the creator reports it", () => {
    expect(withoutMoved({ ips: [{ address: "10.0.0.2/24" }] }, record)).toStrictEqual({
      ips: [{ address: "10.0.0.2/24" }],
    });
  });

  // In that case, the kernel's route has the gateway of the address.
  test("leaves out a route without a gateway if the route to the same place was moved", () => {
    const moved = { ...record, routes: [{ dst: "10.5.0.0/16", gateway: "172.26.64.1", dev: "eth1", table: "100" }] };
    const shown = withoutMoved({ routes: [{ dst: "10.5.0.0/16" }, { dst: "10.5.0.0/16", gw: "10.0.0.9" }] }, moved);
    expect(shown.routes).toEqual([{ dst: "10.5.0.0/16", gw: "10.0.0.9" }]);
  });

  test("keeps a route without a destination", () => {
    const routes = [{ gw: "172.26.64.1" }, { dst: 7, gw: "172.26.64.1" }];
    expect(withoutMoved({ routes }, record)).toStrictEqual({ routes });
  });
});

describe("missing routing", () => {
  test("nothing", () => {
    expect(missingRouting({ moved: record, present: routing, ifName: "eth1" }, bridgeResult)).toEqual([]);
  });

  test.each([
    ["the address", { addresses: [] }, ["address 172.26.64.2/20"]],
    [
      "the address on its interface",
      { addresses: [{ dev: "eth0", address: "172.26.64.2/20" }] },
      ["address 172.26.64.2/20"],
    ],
    [
      "the address with its length",
      { addresses: [{ dev: "eth1", address: "172.26.64.2/24" }] },
      ["address 172.26.64.2/20"],
    ],
    [
      "the address, where another of its subnet is there",
      { addresses: [{ dev: "eth1", address: "172.26.64.3/20" }] },
      ["address 172.26.64.2/20"],
    ],
    [
      "the rule, where another address has one",
      { rules: [{ src: "172.26.64.9", table: "100" }] },
      ["rule from 172.26.64.2 lookup 100"],
    ],
    ["the rule", { rules: [{ src: "172.26.64.2", table: "7" }] }, ["rule from 172.26.64.2 lookup 100"]],
    ["a route", { routes: routing.routes.slice(1) }, ["route 0.0.0.0/0 via 172.26.64.1 table 100"]],
    [
      "all",
      { routes: [] },
      ["route 0.0.0.0/0 via 172.26.64.1 table 100", "route 172.26.64.0/20 table 100", "route ::/0 table 101"],
    ],
  ])("%s", (_, less, expected) => {
    expect(missingRouting({ moved: record, present: { ...routing, ...less }, ifName: "eth1" }, bridgeResult)).toEqual(
      expected,
    );
  });

  test.each([
    ["destination", { dst: "10.0.0.0/8" }],
    ["gateway", { gateway: "172.26.64.9" }],
    ["interface", { dev: "eth2" }],
    ["table", { table: "7" }],
  ])("a route, although one with another %s exists", (_, other) => {
    const [defaultRoute, ...others] = routing.routes;
    const present = { ...routing, routes: [{ ...defaultRoute, ...other } as KernelRoute, ...others] };
    const missing = missingRouting({ moved: record, present: present, ifName: "eth1" }, bridgeResult);
    expect(missing).toEqual(["route 0.0.0.0/0 via 172.26.64.1 table 100"]);
  });

  describe("of an interface with addresses of both families", () => {
    const rules = [
      { src: "172.26.64.2", table: "100" },
      { src: "fd00:26::2", table: "101" },
    ];
    const ips = [{ address: "172.26.64.2/20" }, { address: "fd00:26::2/64" }];
    const addresses = ips.map((ip) => ({ dev: "eth1", ...ip }));
    const both = { ...record, routes: [], rules };

    test("nothing", () => {
      expect(
        missingRouting({ moved: both, present: { routes: [], rules, addresses }, ifName: "eth1" }, { ips }),
      ).toEqual([]);
    });

    test("the rule of either", () => {
      const present = { routes: [], addresses, rules: [] };
      const expected = ["rule from 172.26.64.2 lookup 100", "rule from fd00:26::2 lookup 101"];
      expect(missingRouting({ moved: both, present: present, ifName: "eth1" }, { ips })).toEqual(expected);
    });

    test("nothing, where the kernel took an address from a router away", () => {
      const present = { routes: [], rules, addresses: addresses.slice(0, 1) };
      const routed = ["fd00:26::2/64"];
      expect(missingRouting({ moved: both, present, ifName: "eth1", routed }, { ips })).toEqual([]);
    });

    test("no route of an address from a router, which the kernel took away", () => {
      const ofRouter = ["fd00:26::/64", "fd00:26::2/128"].map((dst) => ({ dst, dev: "eth1", table: "101" }));
      const own = { dst: "fd00:99::/64", dev: "eth1", table: "101" };
      const present = { routes: [], rules, addresses: addresses.slice(0, 1) };
      const moved = { ...both, routes: [...ofRouter, own] };
      const routed = ["fd00:26::2/64"];
      expect(missingRouting({ moved, present, ifName: "eth1", routed }, { ips })).toEqual([
        "route fd00:99::/64 table 101",
      ]);
    });

    test("the route of a plugin's own address in a router's prefix, which the kernel keeps", () => {
      const moved = { ...both, routes: [{ dst: "fd00:26::/64", dev: "eth1", table: "101" }] };
      const present = { routes: [], rules, addresses };
      const routed = ["fd00:26::5/64"];
      expect(missingRouting({ moved, present, ifName: "eth1", routed }, { ips })).toEqual([
        "route fd00:26::/64 table 101",
      ]);
    });

    test("the IPv6 address, although another of its subnet exists", () => {
      const others = [addresses[0], { dev: "eth1", address: "fd00:26::3/64" }].filter((one) => one !== undefined);
      const present = { routes: [], rules, addresses: others };
      expect(missingRouting({ moved: both, present: present, ifName: "eth1" }, { ips })).toEqual([
        "address fd00:26::2/64",
      ]);
    });
  });

  test("of a result without addresses: the routes", () => {
    const present = { routes: [], rules: [], addresses: [] };
    const first = { ...record, routes: routing.routes.slice(1, 2) };
    expect(missingRouting({ moved: first, present: present, ifName: "eth1" }, {})).toEqual([
      "route 172.26.64.0/20 table 100",
    ]);
  });

  test("another interface's routes and rules are left to its own wrapper", () => {
    const present = { ...routing, routes: [], rules: [], addresses: [{ dev: "eth0", address: "172.16.5.2/24" }] };
    const eth0 = { ...bothResult, ips: bothResult.ips.slice(0, 1) };
    expect(missingRouting({ moved: record, present: present, ifName: "eth0" }, eth0)).toEqual([]);
  });
});
