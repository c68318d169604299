import { describe, expect, test } from "vitest";
import { expectFailure, expectNothingLeft } from "../e2e/calls.ts";
import { hostLocal, wrapped, zone } from "../e2e/support.ts";
import type { Lab } from "../support/lab.ts";
import { expectExit0, front, isGiven, isOnPath, withPlugin } from "./other-plugin.ts";

// ovs writes a line to stderr on every call.
describe.skipIf(!isGiven("ovs") || !isOnPath("ovs-vswitchd"))("ovs, with Open vSwitch in user space", () => {
  const ovs = (vlan: number, subnet: string, wrapper?: object) => ({
    ...{ type: wrapper ? "ovs-wrapper" : "ovs", ...(wrapper && { wrapper }) },
    ...{ bridge: "ovs0", vlan, socket_file: "unix:/run/lab/ovs/db.sock", ipam: hostLocal(subnet) },
  });
  const first = ovs(10, "172.30.0.0/20", { role: "creator" });
  const second = ovs(20, "172.16.5.0/24", { role: "creator", ifName: "eth1" });

  test("two wrapped in one list: both interfaces with their VLANs, CHECK passes, and DEL leaves nothing", async () => {
    await using lab = await withOpenVswitch();
    const list = zone(first, second);
    const container = await lab.addContainer("c1");
    expectExit0(await lab.goCni.add(list, container));
    expect(await lab.kernel.allAddresses(container)).toEqual({ eth0: ["172.30.0.2/20"], eth1: ["172.16.5.2/24"] });
    expect(await tags(lab)).toEqual([10, 20]);
    expectExit0(await lab.goCni.check(list, container));
    expectExit0(await lab.goCni.del(list, container));
    expect(await tags(lab)).toEqual([]);
    expect(await lab.kernel.linkNames(container)).toEqual(["lo"]);
    expect(await lab.readdir("/var/lib/cni/ovs-cni/cache")).toEqual([]);
    await expectNothingLeft(lab, ["ovs-netdev", "ovs0"]);
  });

  test.each([
    [
      "the VLAN of a port is another one",
      "ovs-vsctl --db=unix:/run/lab/ovs/db.sock set port $(ovs-vsctl --db=unix:/run/lab/ovs/db.sock list-ports ovs0) tag=30",
      /vlan tag mismatch/,
    ],
    ["its address is gone", "ip -n c1 address delete 172.16.5.2/24 dev eth1", /172\.16\.5\.2\/24/],
  ])("after a wrapped bridge, fails CHECK when %s", async (_, command, message) => {
    await using lab = await withOpenVswitch();
    const list = zone(wrapped(front), second);
    const container = await lab.addContainer("c1");
    expectExit0(await lab.goCni.add(list, container));
    expectExit0(await lab.goCni.check(list, container));
    await lab.run("sh", ["-c", command]);
    expectFailure(await lab.goCni.check(list, container), message);
  });

  test("plain after a plain bridge: no ADD passes", async () => {
    await using lab = await withOpenVswitch();
    const outcome = await lab.goCni.add(zone(front, ovs(20, "172.16.5.0/24")), await lab.addContainer("c1"));
    expectFailure(outcome, /container veth name \("eth0"\) .*already exists/);
  });

  async function tags(lab: Lab): Promise<number[]> {
    const list = await lab.run("ovs-vsctl", [
      `--db=unix:/run/lab/ovs/db.sock`,
      "--bare",
      "--columns=tag",
      "find",
      "port",
      "tag>=1",
    ]);
    return list.split(/\s+/).filter(Boolean).map(Number).sort();
  }

  async function withOpenVswitch(): Promise<Lab> {
    const lab = await withPlugin("ovs");
    const script = `
      mkdir -p /run/lab/ovs
      export OVS_RUNDIR=/run/lab/ovs OVS_LOGDIR=/run/lab/ovs
      ovsdb-tool create /run/lab/ovs/conf.db /usr/share/openvswitch/vswitch.ovsschema
      ovsdb-server /run/lab/ovs/conf.db --remote=punix:/run/lab/ovs/db.sock --pidfile --detach --no-chdir -vconsole:off
      ovs-vsctl --db=unix:/run/lab/ovs/db.sock --no-wait init
      ovs-vswitchd unix:/run/lab/ovs/db.sock --pidfile --detach --no-chdir -vconsole:off
      ovs-vsctl --db=unix:/run/lab/ovs/db.sock add-br ovs0 -- set bridge ovs0 datapath_type=netdev
      ip link set ovs0 up
    `;
    await lab.run("sh", ["-ec", script]);
    return lab;
  }
});
