import { describe, expect, test } from "vitest";
import { addedInterfaces, withAdded, withInterfaces } from "../../../shared/attachment/attachments.ts";
import { frozen } from "../support/frozen.ts";
import { blue, red } from "../support/requests.ts";

const eth0 = { name: "eth0", mac: "02:00:00:00:00:01", sandbox: blue };
const eth1 = { name: "eth1", mac: "02:00:00:00:00:02", sandbox: blue };
const tap = { name: "tap0", mac: "02:00:00:00:00:03", sandbox: blue };
// The virtual machine's own interface: its sandbox is no namespace.
const machine = { name: "tap0", mac: "02:00:00:00:00:02", sandbox: "blue" };
const port = { name: "veth1" };
const added = [
  { name: "tap0", sandbox: blue },
  { name: "tap0", sandbox: "blue" },
];

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
    expect(withAdded(result, first, [])).toBe(first);
    expect(withAdded(result, first, [{ name: "tap1", sandbox: blue }])).toBe(first);
    expect(withAdded(result, first, [{ name: "tap0", sandbox: red }])).toBe(first);
  });
});

test("the added interfaces of a try that was not completed come after those of prevResult", () => {
  const prevResult = frozen({
    cniVersion: "1.0.0",
    interfaces: [eth1],
    ips: [{ address: "10.0.0.2/24", interface: 0 }],
  });
  expect(withInterfaces(prevResult, added)).toEqual({ ...prevResult, interfaces: [eth1, ...added] });
  expect(withInterfaces({ interfaces: null }, added)).toEqual({ interfaces: added });
  expect(withInterfaces({ cniVersion: "1.0.0" }, [])).toEqual({ cniVersion: "1.0.0" });
});
