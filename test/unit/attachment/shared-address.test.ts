import { describe, expect, test } from "vitest";
import { sharedAddress } from "../../../shared/attachment/splice.ts";
import type { CniResult } from "../../../shared/protocol/result.ts";
import { frozen } from "../support/frozen.ts";
import { blue } from "../support/requests.ts";
import { bothResult, bridgeResult, macvlanResult } from "../support/results.ts";

const name = frozen({ ifName: "eth1", netns: blue, runtimeIfName: "eth0" });

/** The shared address if eth0 has `before` and eth1 gets `given`. */
function shared(before: string, given: string) {
  const prevResult = { interfaces: [{ name: "eth0", sandbox: blue }], ips: [{ address: before, interface: 0 }] };
  const delegateResult = { interfaces: [{ name: "eth1", sandbox: blue }], ips: [{ address: given, interface: 0 }] };
  return sharedAddress(frozen(prevResult), frozen(delegateResult), name);
}

describe("an address is the same", () => {
  test.each([
    ["to the letter", "172.16.5.2/24", "172.16.5.2/24"],
    ["with another prefix", "172.16.5.2/24", "172.16.5.2/16"],
    ["without a prefix", "172.16.5.2/24", "172.16.5.2"],
    ["in another spelling of IPv6", "fd00::2/64", "FD00:0:0::0002/64"],
    ["written as IPv4 in IPv6", "172.16.5.2/24", "::ffff:172.16.5.2/120"],
  ])("%s: %s, %s", (_, before, given) => {
    expect(shared(before, given)).toEqual({ address: given, ifName: "eth0" });
  });

  test.each([
    ["another one of the subnet", "172.16.5.2/24", "172.16.5.3/24"],
    ["IPv4 and IPv6 of the same number", "0.0.0.2/24", "::2/64"],
    ["link-local ones, which belong to one interface", "fe80::1/64", "fe80::1/64"],
    ["a text that is not an address", "none", "none"],
    ["nothing", "", ""],
  ])("not %s: %s, %s", (_, before, given) => {
    expect(shared(before, given)).toBeUndefined();
  });
});

describe("which interface has the address", () => {
  const eth0 = { name: "eth0", sandbox: blue };
  const eth1 = { name: "eth1", sandbox: blue };
  const address = "172.16.5.2/24";
  const net1 = { ...eth1, name: "net1" };
  const [bare, ofFirst] = [[{ address }], [{ address, interface: 0 }]];
  const onEth0: CniResult = { interfaces: [eth0], ips: ofFirst };

  test.each<[string, CniResult, CniResult]>([
    ["in prevResult without an index: the runtime's", { interfaces: [eth0], ips: bare }, { ips: bare }],
    ["with an index of null", { interfaces: [eth0], ips: [{ address, interface: null }] }, { ips: bare }],
    ["returned without an interface", onEth0, { ips: bare }],
    ["returned without an index", onEth0, { interfaces: [eth1], ips: bare }],
    ["returned second", onEth0, { interfaces: [eth1], ips: [{ address: "10.0.0.2/8" }, ...ofFirst] }],
    ["of an interface under another name", onEth0, { interfaces: [net1], ips: ofFirst }],
  ])("%s", (_, prevResult, delegateResult) => {
    expect(sharedAddress(prevResult, delegateResult, name)).toEqual({ address, ifName: "eth0" });
  });

  test("an interface other than the runtime's", () => {
    const prevResult = { interfaces: [eth0, net1], ips: [{ address, interface: 1 }] };
    expect(sharedAddress(prevResult, { ips: bare }, name)).toEqual({ address, ifName: "net1" });
  });

  test("the requested interface comes before another", () => {
    const delegateResult = { interfaces: [eth1, net1], ips: ofFirst };
    expect(sharedAddress(onEth0, delegateResult, name)).toEqual({ address, ifName: "eth0" });
  });

  test.each<[string, CniResult, CniResult]>([
    ["of two that differ", macvlanResult, bridgeResult],
    ["of prevResult, returned with it", macvlanResult, bothResult],
    ["of a host-side interface before", { interfaces: [{ name: "cali1" }], ips: ofFirst }, { ips: bare }],
    ["of no earlier interface", { ips: bare }, { ips: bare }],
    ["of the runtime's interface, which is missing", { interfaces: [eth1], ips: bare }, { ips: bare }],
    ["of the runtime's, which is missing among others", { interfaces: [eth1, net1], ips: bare }, { ips: bare }],
    ["of an interface that the plugin does not report", onEth0, { ips: ofFirst }],
    ["of the plugin's host-side interface", onEth0, { interfaces: [{ name: "br0" }, eth1], ips: ofFirst }],
    ["of prevResult, twice", { ...onEth0, ips: [...ofFirst, ...ofFirst] }, { interfaces: [eth1] }],
    ["of a result without addresses", onEth0, { interfaces: [eth1], ips: null }],
    ["of a prevResult without addresses", { interfaces: [eth0], ips: null }, { ips: bare }],
  ])("no other interface: %s", (_, prevResult, delegateResult) => {
    expect(sharedAddress(prevResult, delegateResult, name)).toBeUndefined();
  });
});
