import { expect, test } from "vitest";
import { Lab } from "../support/lab.ts";
import { identity, rebooted } from "./recovery-support.ts";
import { bridge, expectFailure, expectNothingLeft, expectPassed, front, macvlan, wrapped, zone } from "./support.ts";

// Many runtimes run DEL after an ADD that failed. It must remove what that ADD made, and nothing else.

test("a list is attached as eth0, and cannot be as net1: DEL of net1 leaves the first one's eth1", async () => {
  await using lab = await Lab.start();
  const list = zone("1.0.0", wrapped(front), wrapped(bridge, "eth1"));
  const container = await lab.addContainer("c1");
  expectPassed(await lab.cnitool.add(list, container));
  const live = [await identity(lab, container, "eth0"), await identity(lab, container, "eth1")];
  expectFailure(await lab.cnitool.addAs("net1", list, container), /exists/);
  expectPassed(await lab.cnitool.delAs("net1", list, container));
  expect(await lab.kernel.linkNames(container)).toEqual(["lo", "eth0", "eth1"]);
  expect([await identity(lab, container, "eth0"), await identity(lab, container, "eth1")]).toEqual(live);
  expectPassed(await lab.cnitool.check(list, container));
  expectPassed(await lab.cnitool.del(list, container));
  await expectNothingLeft(lab, ["front0", "disc0"]);
});

test("a list is attached as eth0, and cannot be as net1: after a reboot, DEL of net1 leaves the first one's leases", async () => {
  await using lab = await Lab.start();
  const list = zone("1.0.0", wrapped(front), wrapped(bridge, "eth1"));
  const old = await lab.addContainer("c1");
  expectPassed(await lab.cnitool.add(list, old));
  const addresses = await lab.kernel.allAddresses(old);
  const leases = await lab.kernel.leases();
  expectFailure(await lab.cnitool.addAs("net1", list, old), /exists/);
  const container = await rebooted(lab, old, "front0", "disc0");
  expectPassed(await lab.cnitool.delAs("net1", list, container));
  expect(await lab.kernel.leases()).toEqual(leases);
  expectPassed(await lab.cnitool.add(list, await lab.addContainer("c2")));
  expectPassed(await lab.cnitool.add(list, container));
  expect(await lab.kernel.allAddresses(container)).toEqual(addresses);
  expectPassed(await lab.cnitool.check(list, container));
});

test("another network has an eth1, on which ADD failed: DEL leaves it", async () => {
  await using lab = await Lab.start();
  const list = zone("1.0.0", wrapped(front), wrapped({ ...macvlan, master: "late0" }, "eth1"));
  const other = { ...zone("1.0.0", wrapped(bridge, "eth1")), name: "other" };
  const container = await lab.addContainer("c1");
  expectFailure(await lab.goCni.add(list, container), /Link not found|late0/);
  expectPassed(await lab.goCni.add(other, container));
  expectPassed(await lab.goCni.del(list, container));
  expect(await lab.kernel.linkNames(container)).toEqual(["lo", "eth1"]);
  expectPassed(await lab.goCni.check(other, container));
  expectPassed(await lab.goCni.del(other, container));
  await expectNothingLeft(lab, ["front0", "disc0"]);
});

test("the last ADD of a list failed, so there is no result: DEL removes firewall's rules", async () => {
  await using lab = await Lab.start();
  const firewall = wrapped({ type: "firewall", backend: "iptables" }, "eth1");
  const list = zone(
    "1.0.0",
    wrapped(front),
    wrapped(bridge, "eth1"),
    firewall,
    wrapped({ ...macvlan, master: "late0" }, "eth2"),
  );
  const container = await lab.addContainer("c1");
  const rules = async () => (await lab.kernel.packetRules()).filter((rule) => rule.includes("172.26.64.2"));
  expectFailure(await lab.goCni.add(list, container), /Link not found|late0/);
  expect(await rules()).toHaveLength(2);
  expectPassed(await lab.goCni.del(list, container));
  expect(await rules()).toEqual([]);
});
