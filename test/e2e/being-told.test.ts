import { describe, expect, test } from "../support/lab-test.ts";
import { attached, expectFailure, expectSound, expectUndone } from "./calls.ts";
import { hostLocal, macvlan, twoInterfaces, wrapped, zone } from "./support.ts";

test("a plugin that was removed: DEL fails under go-cni, and frees everything once the plugin is back", async ({
  lab,
}) => {
  const list = twoInterfaces();
  const container = await attached(lab, lab.goCni, list);
  const leases = await lab.kernel.leases();
  await lab.run("sh", ["-c", "umount /opt/cni/bin/bridge && rm /opt/cni/bin/bridge"]);
  // go-cni's Remove reports success for an error that says "not found".
  expectFailure(
    await lab.goCni.del(list, container),
    /^plugin type="bridge-wrapper" failed \(delete\): delegate bridge is missing; Looked for \/opt\/cni\/bin\/bridge \(missing\)/,
  );
  expect(await lab.kernel.leases()).toEqual(leases);
  await lab.run("cp", ["/run/lab/plugins/bridge", "/opt/cni/bin/bridge"]);
  await expectUndone(lab, list, container, ["disc0"]);
});

describe("two interfaces on one subnet", () => {
  const ipam = hostLocal("172.16.5.0/24");
  const onOneSubnet = (network?: string) => {
    const eth1 = wrapped({ type: "bridge", bridge: "disc0", ipam }, "eth1");
    const wrapper = { ifName: "eth1", ...(network && { network }) };
    return zone(wrapped({ ...macvlan, ipam }), { ...eth1, wrapper });
  };

  test("that would get one address: ADD fails and leaves nothing of the second", async ({ lab, container }) => {
    const list = onOneSubnet();
    expectFailure(
      await lab.goCni.add(list, container),
      /^plugin type="bridge-wrapper" failed \(add\): address 172\.16\.5\.2\/24 is taken; Interface eth0 has it already\./,
    );
    expect(await lab.kernel.linkNames(container)).toEqual(["lo", "eth0"]);
    expect(await lab.kernel.leases()).toEqual(["zone/172.16.5.2"]);
    expect(await lab.kernel.journals()).toEqual(["c1/zone:eth0"]);
    await expectUndone(lab, list, container, ["disc0"]);
  });

  test("that share one pool of leases: each gets its own address", async ({ lab }) => {
    const list = onOneSubnet("zone");
    const container = await attached(lab, lab.goCni, list);
    expect(await lab.kernel.addresses(container, "eth0")).toEqual(["172.16.5.2/24"]);
    expect(await lab.kernel.addresses(container, "eth1")).toEqual(["172.16.5.3/24"]);
    await expectSound(lab, list, container, ["disc0"]);
  });
});
