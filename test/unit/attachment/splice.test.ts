import { describe, expect, test } from "vitest";
import { findAttachment, ownAttachment } from "../../../shared/attachment/attachments.ts";
import {
  completeResult,
  orderResult,
  sharedAddress,
  spliceCreator,
  spliceMeta,
} from "../../../shared/attachment/splice.ts";
import type { CniResult, Interface, IpConfig } from "../../../shared/protocol/result.ts";
import { frozen } from "../support/frozen.ts";
import { blue } from "../support/requests.ts";
import { bothResult, bridgeResult, macvlanResult } from "../support/results.ts";

const eth0 = frozen({ name: "eth0", sandbox: blue });
const eth1 = frozen({ name: "eth1", sandbox: blue });
const lo = frozen({ name: "lo", sandbox: blue });
const eth1Name = { ifName: "eth1", netns: blue, runtimeIfName: "eth0" };
const eth0Name = { ifName: "eth0", netns: blue, runtimeIfName: "eth0" };

const address0 = "10.0.0.2/24";
const address1 = "10.0.1.2/24";
/** An address of the interface with an index. */
const ip = (address: string, index: number) => ({ address, interface: index });

test.each([
  ["nothing", {}],
  ["host-side interfaces only", { interfaces: [{ name: "br0" }, { name: "veth0" }] }],
  ["host-side interfaces before the container's", bridgeResult],
  ["several attachments", bothResult],
])("a result in order stays the same object: %s", (_, result) => {
  expect(orderResult(frozen(result))).toBe(result);
});

const veth1 = { name: "veth1" };
const of = (interfaces: Interface[], ...ips: IpConfig[]): CniResult => ({ interfaces, ips });
const nobodys = { address: "10.9.0.2/24" };

test.each<[string, CniResult, CniResult]>([
  ["no interfaces at all", {}, { interfaces: [eth1] }],
  ["an address on a host-side interface only", of([veth1], ip(address0, 0)), of([veth1, eth1], ip(address0, 1))],
  ["the interface under another name", of([eth0], { address: address0 }), of([eth0], ip(address0, 0))],
  ["two container interfaces", of([eth0, eth1], { address: address0 }), of([eth0, eth1], ip(address0, 1))],
])("completing a creator's result: %s", (_, result, expected) => {
  expect(completeResult(frozen(result), eth1Name)).toStrictEqual(expected);
});

describe("a creator after others", () => {
  function spliced(prevResult: CniResult, delegateResult: CniResult): CniResult {
    return spliceCreator(frozen(prevResult), frozen(delegateResult), eth1Name);
  }

  test.each<[string, CniResult, CniResult, CniResult]>([
    ["to nothing", {}, { interfaces: [eth1] }, { interfaces: [eth1] }],
    ["without a reported address", { interfaces: [eth0] }, {}, { interfaces: [eth0, eth1] }],
    [
      "to an address without an index beside one of the runtime's: it is nobody's, and stays so",
      of([eth0], ip(address0, 0), nobodys),
      of([eth1], ip(address1, 0)),
      of([eth0, eth1], ip(address0, 0), nobodys, ip(address1, 1)),
    ],
  ])("%s", (_, prevResult, delegateResult, expected) => {
    expect(spliced(prevResult, delegateResult)).toStrictEqual(expected);
  });

  test("an identical route appears once, in any order of keys", () => {
    const [first, same, other] = [
      { dst: "0.0.0.0/0", gw: "10.0.0.1" },
      { gw: "10.0.0.1", dst: "0.0.0.0/0" },
      { dst: "0.0.0.0/0", gw: "10.0.0.1", mtu: 1400 },
    ];
    expect(spliced({ routes: [first] }, { routes: [same, other] }).routes).toStrictEqual([first, other]);
    expect(spliced({}, { routes: [first, same, other, other] }).routes).toStrictEqual([first, other]);
  });

  test.each([
    ["the first one's domain", { domain: "a" }, { domain: "b" }, { domain: "a" }],
    ["or an empty one", { domain: "" }, { domain: "b" }, { domain: "b" }],
    [
      "lists without repeats, the first one's first",
      { nameservers: ["1", "2"], search: ["a"], options: ["x"] },
      { nameservers: ["3", "1"], search: ["a", "b"], options: ["y"] },
      { nameservers: ["1", "2", "3"], search: ["a", "b"], options: ["x", "y"] },
    ],
    ["lists of one only", { search: ["a"] }, { options: ["y"] }, { search: ["a"], options: ["y"] }],
    ["what it does not know", { x: 1, y: 1 }, { y: 2, z: 2 }, { x: 1, y: 1, z: 2 }],
    ["lists of null", { search: null }, { search: ["b"], options: null }, { search: ["b"], options: null }],
  ])("DNS is joined: %s", (_, first, second, expected) => {
    expect(spliced({ dns: first }, { dns: second }).dns).toStrictEqual(expected);
  });

  test("unknown keys of both are kept, and the first value wins", () => {
    const merged = spliced(
      { cniVersion: "1.0.0", interfaces: [{ ...eth0, mtu: 9000 }], a: 1, b: 1 },
      { cniVersion: "1.0.0", interfaces: [{ name: "eth1", sandbox: blue, pciID: "x" }], b: 2, c: 2 },
    );
    expect(merged).toMatchObject({ a: 1, b: 1, c: 2, interfaces: [{ mtu: 9000 }, { pciID: "x" }] });
  });
});

test("a chained plugin puts an interface to the runtime's, which its plugin did not report: it is the first", () => {
  const bridges = bothResult.interfaces.slice(1);
  const [ifb0, own] = [{ name: "ifb0" }, { address: address0 }];
  const prevResult = of(bridges, ip("172.26.64.2/20", 2), own);
  const expected = of([ifb0, ...bridges], ip("172.26.64.2/20", 3), own);
  const attachment = ownAttachment(frozen(prevResult), eth0Name);
  if (attachment === undefined) throw new Error("no eth0");
  expect(spliceMeta({ prevResult, attachment, selector: eth0Name }, frozen(of([ifb0], own)))).toStrictEqual(expected);
});

describe("a chained plugin", () => {
  function spliced(prevResult: CniResult, delegateResult: CniResult, name = eth1Name): CniResult {
    const attachment = findAttachment(frozen(prevResult), name.ifName, name.netns);
    if (attachment === undefined) throw new Error(`no ${name.ifName}`);
    return spliceMeta({ prevResult, attachment, selector: name }, frozen(delegateResult));
  }

  const interfaces = [eth0, eth1];
  const [own0, own1, second] = [ip(address0, 0), ip(address1, 1), ip("fd01::2/64", 1)];
  const [given1, bare] = [ip(address1, 0), { address: address0 }];
  const given = of([eth1], given1, ip("fd01::2/64", 0));

  test.each<[string, CniResult, CniResult, IpConfig[], typeof eth1Name?]>([
    [
      "on both sides of another's return to the first's place",
      of(interfaces, own1, own0, second),
      given,
      [own1, second, own0],
    ],
    ["are new if there were none before", { interfaces }, of([eth1], given1), [own1]],
    ["come after those of earlier interfaces", of(interfaces, own0), of([eth1], given1), [own0, own1]],
    ["without an index stay with the runtime's interface", of(interfaces, bare), { interfaces: [eth1] }, [bare]],
    ["without an index are the runtime's own", of(interfaces, bare), of([eth0], bare), [own0], eth0Name],
  ])("addresses %s", (_, prevResult, returned, ips, name = eth1Name) => {
    expect(spliced(prevResult, returned, name)).toStrictEqual({ interfaces, ips });
  });
});

describe("a plugin that merges prevResult itself", () => {
  const added = frozen({ name: "eth2", sandbox: blue });
  const eth2Name = { ifName: "eth2", netns: blue, runtimeIfName: "eth0" };
  const carried = frozen({
    ...bothResult,
    interfaces: [...bothResult.interfaces, added],
    ips: [...bothResult.ips, ip("10.0.2.2/24", 4)],
  });

  test("returns the whole result", () => {
    expect(spliceCreator(bothResult, carried, eth2Name)).toStrictEqual(carried);
  });

  test("its result is still put in order, without lo", () => {
    const before = frozen({ interfaces: [lo, eth0] });
    const returned = frozen({ interfaces: [lo, eth0, added, { name: "veth2" }] });
    expect(spliceCreator(before, returned, eth2Name)).toStrictEqual({ interfaces: [eth0, { name: "veth2" }, added] });
  });

  test.each<[string, CniResult, CniResult, number]>([
    ["leaves out an address", { interfaces: [eth0], ips: [{ address: address0 }] }, { interfaces: [eth0, eth1] }, 3],
    ["names another sandbox", { interfaces: [eth0] }, { interfaces: [{ ...eth0, sandbox: "/red" }, eth1] }, 3],
  ])("is not what %s", (_, before, returned, count) => {
    expect(spliceCreator(frozen(before), frozen(returned), eth1Name).interfaces).toHaveLength(count);
  });
});

/** The shared address if eth0 has `before` and eth1 gets `given`. */
function shared(before: string, given: string) {
  return sharedAddress(frozen(of([eth0], ip(before, 0))), frozen(of([eth1], ip(given, 0))), eth1Name);
}

describe("an address is the same", () => {
  test.each([
    ["to the letter", "172.16.5.2/24", "172.16.5.2/24"],
    ["with another prefix", "172.16.5.2/24", "172.16.5.2/16"],
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
  ])("not %s: %s, %s", (_, before, given) => {
    expect(shared(before, given)).toBeUndefined();
  });
});

describe("which interface has the address", () => {
  const address = "172.16.5.2/24";
  const net1 = { ...eth1, name: "net1" };
  const [bare, ofFirst] = [[{ address }], [{ address, interface: 0 }]];
  const onEth0: CniResult = { interfaces: [eth0], ips: ofFirst };

  test.each<[string, CniResult, CniResult, string?]>([
    ["in prevResult without an index: the runtime's", { interfaces: [eth0], ips: bare }, { ips: bare }],
    ["with an index of null", { interfaces: [eth0], ips: [{ address, interface: null }] }, { ips: bare }],
    ["returned second", onEth0, { interfaces: [eth1], ips: [{ address: "10.0.0.2/8" }, ...ofFirst] }],
    ["returned without an index", onEth0, { interfaces: [eth1], ips: bare }],
    ["of an interface under another name", onEth0, { interfaces: [net1], ips: ofFirst }],
    ["of the requested interface, which comes before another", onEth0, { interfaces: [eth1, net1], ips: ofFirst }],
    ["an interface other than the runtime's", of([eth0, net1], ip(address, 1)), { ips: bare }, "net1"],
  ])("%s", (_, prevResult, delegateResult, ifName = "eth0") => {
    expect(sharedAddress(prevResult, delegateResult, eth1Name)).toEqual({ address, ifName });
  });

  test.each<[string, CniResult, CniResult]>([
    ["of prevResult, returned with it", macvlanResult, bothResult],
    ["of a host-side interface before", { interfaces: [{ name: "cali1" }], ips: ofFirst }, { ips: bare }],
    ["of no earlier interface", { ips: bare }, { ips: bare }],
    ["of the runtime's interface, which is missing", { interfaces: [eth1], ips: bare }, { ips: bare }],
    ["of the runtime's, which is missing among others", { interfaces: [eth1, net1], ips: bare }, { ips: bare }],
    ["of an interface that the plugin does not report", onEth0, { ips: ofFirst }],
    ["of prevResult, twice", { ...onEth0, ips: [...ofFirst, ...ofFirst] }, { interfaces: [eth1] }],
    ["of a prevResult without addresses", { interfaces: [eth0], ips: null }, { ips: bare }],
  ])("no other interface: %s", (_, prevResult, delegateResult) => {
    expect(sharedAddress(prevResult, delegateResult, eth1Name)).toBeUndefined();
  });
});
