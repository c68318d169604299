import { describe, expect, test } from "vitest";
import { findAttachment } from "../../../shared/attachment/attachments.ts";
import { narrowResult } from "../../../shared/attachment/narrow.ts";
import type { CniResult } from "../../../shared/protocol/result.ts";
import { frozen } from "../support/frozen.ts";
import { blue } from "../support/requests.ts";
import { bothResult, bridgeView } from "../support/results.ts";

function narrowed(result: CniResult, ifName: string, { netns = blue, runtimeIfName = "eth0" } = {}): CniResult {
  const attachment = findAttachment(frozen(result), ifName, netns);
  if (attachment === undefined) throw new Error(`no ${ifName}`);
  return narrowResult(result, attachment, { ifName, netns, runtimeIfName });
}

describe("two interfaces", () => {
  test("macvlan sees its own interface and addresses, and no route through the other's gateway", () => {
    expect(narrowed(bothResult, "eth0")).toStrictEqual({
      cniVersion: "1.0.0",
      interfaces: [{ name: "eth0", mac: "02:00:00:00:00:01", sandbox: blue }],
      ips: [{ address: "172.16.5.2/24", gateway: "172.16.5.1", interface: 0 }],
      routes: [{ dst: "0.0.0.0/0", gw: "172.16.5.1" }, { dst: "10.99.0.0/16" }],
      dns: { nameservers: ["172.16.5.1", "172.26.64.1"] },
    });
  });

  test("bridge sees its own interface and the host-side ones before it", () => {
    expect(narrowed(bothResult, "eth1")).toStrictEqual(bridgeView);
  });
});

test("a single attachment sees everything, in the same order", () => {
  const only = { interfaces: [{ name: "eth0", sandbox: blue }], ips: [{ address: "10.0.0.2/24" }], routes: [{}] };
  expect(narrowed(only, "eth0")).toStrictEqual(only);
});

test("trailing host-side interfaces are seen with the last container interface", () => {
  const result = { interfaces: [{ name: "br0" }, { name: "eth0", sandbox: blue }, { name: "br0.7" }] };
  expect(narrowed(result, "eth0")).toStrictEqual(result);
});

test("an address without an index goes to the runtime's interface and gets no index", () => {
  const result = {
    interfaces: [
      { name: "eth0", sandbox: blue },
      { name: "eth1", sandbox: blue },
    ],
    ips: [{ address: "10.0.0.2/24" }, { address: "10.0.1.2/24", interface: 1 }],
  };
  expect(narrowed(result, "eth0").ips).toStrictEqual([{ address: "10.0.0.2/24" }]);
  expect(narrowed(result, "eth1").ips).toStrictEqual([{ address: "10.0.1.2/24", interface: 0 }]);
});

describe("routes", () => {
  const result = {
    interfaces: [
      { name: "eth0", sandbox: blue },
      { name: "eth1", sandbox: blue },
    ],
    ips: [
      { address: "10.0.0.2/24", interface: 0 },
      { address: "10.0.1.2/24", interface: 1 },
      { address: "fd00::2/64", interface: 1 },
    ],
  };

  test.each([
    ["without a gateway", {}, true, true],
    ["an empty gateway", { gw: "" }, true, true],
    ["a gateway of null", { gw: null }, true, true],
    ["a gateway in no subnet", { gw: "192.0.2.1" }, true, true],
    ["a gateway that is no address", { gw: "?" }, true, true],
    ["a gateway in the one's subnet", { gw: "10.0.0.1" }, true, false],
    ["a gateway in the other's subnet", { gw: "10.0.1.1" }, false, true],
    ["an IPv6 gateway", { gw: "fd00::1" }, false, true],
  ])("%s", (_, gateway, isEth0s, isEth1s) => {
    const route = { dst: "0.0.0.0/0", mtu: 1400, ...gateway };
    expect(narrowed({ ...result, routes: [route] }, "eth0").routes).toStrictEqual(isEth0s ? [route] : []);
    expect(narrowed({ ...result, routes: [route] }, "eth1").routes).toStrictEqual(isEth1s ? [route] : []);
  });

  test("without addresses, a gateway is in no subnet", () => {
    const { interfaces } = result;
    const routes = [{ dst: "0.0.0.0/0", gw: "10.0.0.1" }];
    expect(narrowed({ interfaces, routes }, "eth0").routes).toEqual(routes);
  });

  test("a gateway in both subnets belongs to both", () => {
    const ips = [
      { address: "10.0.0.2/16", interface: 0 },
      { address: "10.0.1.2/24", interface: 1 },
    ];
    const routes = [{ dst: "0.0.0.0/0", gw: "10.0.1.1" }];
    expect(narrowed({ ...result, ips, routes }, "eth0").routes).toEqual(routes);
    expect(narrowed({ ...result, ips, routes }, "eth1").routes).toEqual(routes);
  });
});

test.each([
  ["unknown keys stay", { interfaces: [{ name: "eth0", sandbox: blue, pciID: "1" }], extra: { a: [1] } }],
  [
    "lists that are null stay so",
    { interfaces: [{ name: "eth0", sandbox: blue }], ips: null, routes: null, dns: null },
  ],
])("%s", (_, result) => {
  expect(narrowed(result, "eth0")).toStrictEqual(result);
});
