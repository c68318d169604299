import { expect, test } from "../support/lab-test.ts";
import { attached, expectFailure, expectPassed } from "./calls.ts";
import { rebooted } from "./recovery-support.ts";
import { bridge, front, macvlan, wrapped, zone } from "./support.ts";

test("a list is attached as eth0, and cannot be as net1: after a reboot, DEL of net1 leaves the first one's leases", async ({
  lab,
}) => {
  const list = zone(wrapped(front), wrapped(bridge, "eth1"));
  const old = await attached(lab, lab.cnitool, list);
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

test("the last ADD of a list failed, so there is no result: DEL removes firewall's rules", async ({
  lab,
  container,
}) => {
  const firewall = wrapped({ type: "firewall", backend: "iptables" }, "eth1");
  const list = zone(
    wrapped(front),
    wrapped(bridge, "eth1"),
    firewall,
    wrapped({ ...macvlan, master: "late0" }, "eth2"),
  );
  const rules = async () => (await lab.kernel.packetRules()).filter((rule) => rule.includes("172.26.64.2"));
  expectFailure(await lab.goCni.add(list, container), /Link not found|late0/);
  expect(await rules()).toHaveLength(2);
  expectPassed(await lab.goCni.del(list, container));
  expect(await rules()).toEqual([]);
});
