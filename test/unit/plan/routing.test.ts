import { describe, expect, test } from "vitest";
import { routingFile } from "../../../shared/plan/record.ts";
import {
  missingRouting,
  parseRouting,
  parseRoutingRecord,
  type RoutingRecord,
  withoutMoved,
} from "../../../shared/plan/routing.ts";
import { bothResult, bridgeResult } from "../support/results.ts";

// What iproute2 6.1 prints for `routingCommands`, shortened.
const ipv4 = `[{"dst":"default","gateway":"172.26.64.1","dev":"eth1","table":"100","flags":[]},{"dst":"172.26.64.0/20","dev":"eth1","table":"100","protocol":"kernel"},{"dst":"default","gateway":"172.16.5.1","dev":"eth0"},{"dst":"10.9.9.9","dev":"eth0"},{"type":"local","dst":"172.26.64.2","dev":"eth1","table":"local"}]
[{"priority":0,"src":"all","table":"local"},{"priority":32765,"src":"172.26.64.2","table":"100"},{"priority":32764,"src":"10.0.0.0","srclen":8,"table":"7"}]
[{"ifname":"lo","addr_info":[]},{"ifname":"eth1","addr_info":[{"family":"inet","local":"172.26.64.2","prefixlen":20}]}]
`;
const ipv6 = `[{"dst":"default","dev":"eth1","table":"101"},{"dst":"fd00::1","dev":"eth0"}]
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
const record: RoutingRecord = {
  network: "zone",
  containerId: "blue",
  runtimeIfName: "eth0",
  namespace: "4:1",
  routes: routing.routes,
  rules: routing.rules,
};

describe("what ip(8) prints", () => {
  test("is read, without what the kernel keeps for itself", () => {
    expect(parseRouting(ipv4, ipv6)).toStrictEqual(routing);
  });

  test.each([
    ["", ipv6],
    [ipv4, "[]\n[]"],
    ["no JSON\n[]\n[]", ipv6],
    ["{}\n[]\n[]", ipv6],
  ])("is not guessed at: %j", (one, other) => {
    expect(parseRouting(one, other)).toBeUndefined();
  });
});

describe("the record", () => {
  test("has a name that no interface's record can have", () => {
    expect(routingFile(record)).toBe("/var/lib/cni/wrappers/zone:blue:eth0::routes");
  });

  test("is of one namespace", () => {
    expect(parseRoutingRecord(JSON.stringify(record), "4:1")).toStrictEqual(record);
    expect(parseRoutingRecord(JSON.stringify(record), "4:2")).toBeUndefined();
    expect(parseRoutingRecord('{"namespace":"4:1"}', "4:1")).toBeUndefined();
    expect(parseRoutingRecord(undefined, "")).toBeUndefined();
  });
});

describe("what a creator is not asked for", () => {
  test("an address whose subnet was moved, and routes that were", () => {
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

  test("a default route without a gateway is in the main table as well, and stays", () => {
    const shown = withoutMoved({ routes: [{ dst: "0.0.0.0/0" }, { dst: "0.0.0.0/0", gw: "172.16.5.1" }] }, record);
    expect(shown.routes).toHaveLength(2);
  });

  test("an address whose subnet is in no table at all stays, for the creator to complain", () => {
    expect(withoutMoved({ ips: [{ address: "10.0.0.2/24" }] }, record)).toStrictEqual({
      ips: [{ address: "10.0.0.2/24" }],
    });
  });
});

describe("what is missing", () => {
  test("nothing", () => {
    expect(missingRouting(record, routing, bridgeResult, "eth1")).toEqual([]);
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
    ["the rule", { rules: [{ src: "172.26.64.2", table: "7" }] }, ["rule from 172.26.64.2 lookup 100"]],
    ["a route", { routes: routing.routes.slice(1) }, ["route 0.0.0.0/0 via 172.26.64.1 table 100"]],
    [
      "all",
      { routes: [] },
      ["route 0.0.0.0/0 via 172.26.64.1 table 100", "route 172.26.64.0/20 table 100", "route ::/0 table 101"],
    ],
  ])("%s", (_, less, expected) => {
    expect(missingRouting(record, { ...routing, ...less }, bridgeResult, "eth1")).toEqual(expected);
  });

  test("another interface's routes and rules are its own wrapper's to look for", () => {
    const present = { ...routing, routes: [], rules: [], addresses: [{ dev: "eth0", address: "172.16.5.2/24" }] };
    const eth0 = { ...bothResult, ips: bothResult.ips.slice(0, 1) };
    expect(missingRouting(record, present, eth0, "eth0")).toEqual([]);
  });
});
