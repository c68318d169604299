import { describe, expect, test } from "vitest";
import {
  addedInterfaces,
  attachmentsOf,
  findAttachment,
  ownAttachment,
  ownership,
  withAdded,
  withInterfaces,
} from "../../../shared/attachment/attachments.ts";
import type { Interface } from "../../../shared/protocol/result.ts";
import { frozen } from "../support/frozen.ts";
import { blue, red } from "../support/requests.ts";

/** Interfaces in one line: `eth0@blue` is in a container, `br0` on the host. */
function interfacesOf(line: string): readonly Interface[] {
  const words = line.split(" ").filter(Boolean);
  return frozen(
    words.map((word) => {
      const [name = "", container] = word.split("@");
      return container === undefined ? { name } : { name, sandbox: `/run/netns/${container}` };
    }),
  );
}

const of = (container: number, ...members: number[]) => ({ container, members });

test.each<[string, string, ...ReturnType<typeof of>[]]>([
  ["nothing has none", ""],
  ["nor have host-side interfaces", "br0 veth0"],
  ["a container interface", "eth0@blue", of(0, 0)],
  ["and the host-side ones before it", "br0 veth0 eth0@blue", of(2, 0, 1, 2)],
  ["three", "veth0 eth0@blue eth1@blue veth2 eth2@blue", of(1, 0, 1), of(2, 2), of(4, 3, 4)],
  ["trailing host-side interfaces belong to the only one", "br0 veth0 eth0@blue br0.100", of(2, 0, 1, 2, 3)],
])("attachments of a result: %s: %j", (_, line, ...attachments) => {
  expect(attachmentsOf(interfacesOf(line))).toStrictEqual(attachments);
});

test.each([
  ["eth0@blue veth1 eth1@blue", "eth1", 2],
  ["eth0@red eth0@blue", "eth0", 1],
  ["eth0@blue br0 eth0@blue", "eth0", 0],
  // Another spelling of the namespace's path is the same namespace.
  ["eth0@elsewhere eth0@red", "eth0", 0],
  // A host-side interface of the same name does not count.
  ["eth0 eth0@blue", "eth0", 1],
])("in %j the attachment with a given name is that of %s at %i", (line, name, container) => {
  expect(findAttachment({ interfaces: interfacesOf(line) }, name, blue)).toMatchObject({ container });
});

describe("the attachment that a delegate works on, in cali0 br0 veth1 eth1@blue", () => {
  const interfaces = interfacesOf("cali0 br0 veth1 eth1@blue");
  const calicos = { address: "10.0.0.2/24" };
  const eth1 = { ifName: "eth1", netns: blue, runtimeIfName: "eth0" };
  const eth0 = { ...eth1, ifName: "eth0" };
  const whole = { container: 3, members: [0, 1, 2, 3] };

  test.each([
    ["eth0 has both host-side ones its addresses point to", "cali0 br0 veth1 eth1@blue", [1, 0], eth0, undefined, 2],
    ["one after another's container interface is not", "cali0 eth1@blue veth2 net1@blue", [0, 2], eth0, undefined, 1],
    ["a host-side interface called eth0 does not count", "eth0 veth1 eth1@blue", [0], eth0, undefined, 1],
    ["a listed one takes no host-side one of another", "br0 veth1 eth1@blue eth0@blue", [1], eth1, 2, 3],
  ])("%s: %s", (_, line, indexes, selector, container, count) => {
    const ips = indexes.map((index) => ({ ...calicos, interface: index }));
    const members = [...Array(count).keys()];
    expect(ownAttachment({ interfaces: interfacesOf(line), ips }, selector)).toStrictEqual({ container, members });
  });

  test("only the runtime's own interface can be unlisted", () => {
    const result = { interfaces, ips: [{ ...calicos, interface: 0 }] };
    expect(ownAttachment(result, { ...eth1, ifName: "eth2" })).toBeUndefined();
    expect(ownAttachment(result, { ...eth1, runtimeIfName: "eth1" })).toStrictEqual(whole);
  });
});

describe("which attachment owns an address", () => {
  const interfaces = interfacesOf("veth0 eth0@blue br0 eth1@blue br0.7");
  const ips = frozen([
    { address: "on eth0", interface: 1 },
    { address: "on eth1", interface: 3 },
    { address: "on the VLAN device after eth1", interface: 4 },
    { address: "without index" },
    { address: "null index", interface: null },
  ]);

  const elsewhere = ips.slice(2);

  test.each([
    // An address without an index belongs to the runtime's own interface, as in go-cni, if that has no other.
    ["eth0", "eth0", elsewhere, ["without index", "null index"]],
    ["eth1", "eth0", elsewhere, ["on the VLAN device after eth1"]],
    ["eth1", "eth1", elsewhere, ["on the VLAN device after eth1", "without index", "null index"]],
    ["eth0", "net0", elsewhere, []],
    ["eth0", "eth0", ips, ["on eth0"]],
    ["eth1", "eth1", ips, ["on eth1"]],
  ])("%s, for a runtime that calls its interface %s: %#", (ifName, runtimeIfName, ips, expected) => {
    const result = { interfaces, ips };
    const attachment = findAttachment(result, ifName, blue) ?? { container: -1, members: [] };
    const isOwn = ownership(result, attachment, { ifName, netns: blue, runtimeIfName });
    expect(ips.filter(isOwn).map(({ address }) => address)).toEqual(expected);
  });
});

const eth0 = { name: "eth0", mac: "02:00:00:00:00:01", sandbox: blue };
const eth1 = { name: "eth1", mac: "02:00:00:00:00:02", sandbox: blue };
const tap = { name: "tap0", mac: "02:00:00:00:00:03", sandbox: blue };
// The virtual machine's own interface: its sandbox is no namespace.
const machine = { name: "tap0", mac: "02:00:00:00:00:02", sandbox: "blue" };
const port = { name: "veth1" };
const added = [blue, "blue"].map((sandbox) => ({ name: "tap0", sandbox }));

describe("the added interfaces", () => {
  const prevResult = frozen({ interfaces: [eth0, eth1] });
  const second = { container: 1, members: [1] };
  const found = (...interfaces: object[]) => addedInterfaces(prevResult, second, { interfaces } as never);

  test("are not its own, which have host-side interfaces beside them", () => {
    const whole = frozen({ interfaces: [port, eth1] });
    const attachment = { container: 1, members: [0, 1] };
    expect(addedInterfaces(whole, attachment, { interfaces: [port, eth1, tap] })).toEqual(added.slice(0, 1));
  });

  test("are none if the answer has only the attachment's own, whatever its MAC, and host-side ones", () => {
    expect(found({ ...eth1, mac: "02:00:00:00:00:99" }, port, { name: "ifb0", sandbox: "" })).toEqual([]);
    expect(found()).toEqual([]);
    expect(addedInterfaces(prevResult, second, { interfaces: null })).toEqual([]);
  });

  test("can have the name of an interface of another sandbox or another attachment", () => {
    expect(found(eth1, { ...eth1, sandbox: red })).toEqual([{ name: "eth1", sandbox: red }]);
    expect(found(eth1, eth0)).toEqual([{ name: "eth0", sandbox: blue }]);
  });
});

describe("an attachment with its added interfaces", () => {
  const result = frozen({ interfaces: [eth0, tap, port, machine, eth1] });

  test("has them in the result's order, each with the host-side interfaces before it", () => {
    const second = { container: 4, members: [4] };
    expect(withAdded(result, second, added)).toEqual({ container: 4, members: [1, 2, 3, 4] });
    expect(withAdded(result, second, added.slice(0, 1))).toEqual({ container: 4, members: [1, 4] });
  });

  test("has them in that order among more than ten, whose indexes are no texts", () => {
    const many = frozen({ interfaces: [...Array<object>(9).fill(port), tap, eth1] } as never);
    expect(withAdded(many, { container: 10, members: [10] }, added).members).toEqual([...Array(11).keys()]);
  });

  test("is the same if the result lists none of them", () => {
    const first = { container: 0, members: [0] };
    for (const others of [[], [{ name: "tap1", sandbox: blue }], [{ name: "tap0", sandbox: red }]])
      expect(withAdded(result, first, others)).toBe(first);
  });
});

test("the added interfaces of a try that was not completed come after those of prevResult", () => {
  const ips = [{ address: "10.0.0.2/24", interface: 0 }];
  const prevResult = frozen({ cniVersion: "1.0.0", interfaces: [eth1], ips });
  expect(withInterfaces(prevResult, added)).toEqual({ ...prevResult, interfaces: [eth1, ...added] });
  expect(withInterfaces({ interfaces: null }, added)).toEqual({ interfaces: added });
  expect(withInterfaces({ cniVersion: "1.0.0" }, [])).toEqual({ cniVersion: "1.0.0" });
});
