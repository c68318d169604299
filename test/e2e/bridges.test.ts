import { type Container, Lab } from "../support/lab.ts";
import { describe, expect, test } from "../support/lab-test.ts";
import type { NetworkList, Runtime } from "../support/runtime.ts";
import { attached, expectFailure, expectNothingLeft, expectSuccess } from "./calls.ts";
import { installPlugin } from "./recovery-support.ts";
import { bridge, hostLocal, macvlan, older, wrapped, zone } from "./support.ts";

const layer2 = { type: "bridge", bridge: "hbr2", ipam: hostLocal("10.40.0.0/24") };

test("two containers on a layer-2 bridge pass CHECK with any MAC of the bridge, and fail it if the bridge is gone", async ({
  lab,
}) => {
  const list = zone(wrapped(macvlan), wrapped(layer2, "eth1"));
  const containers = [await attached(lab, lab.runtime, list, "c1"), await attached(lab, lab.runtime, list, "c2")];
  for (const container of containers) expectSuccess(await lab.runtime.check(list, container));
  await lowerMac(lab, "hbr2");
  for (const container of containers) expectSuccess(await lab.runtime.check(list, container));
  await lab.ip(undefined, "link", "del", "hbr2");
  for (const container of containers)
    expectFailure(await lab.runtime.check(list, container), "Interface name hbr2 not found");
  for (const container of containers) expectSuccess(await lab.runtime.del(list, container));
  await expectNothingLeft(lab, ["port1", "port0"]);
});

// The plugin fixes a bridge's MAC only if it adds the gateway's address itself, so the wrapper asks the kernel.
describe("a bridge that is a gateway", () => {
  const list = zone(wrapped(bridge));
  const gateway = "172.26.64.1/20";

  test("passes CHECK with every container, although its MAC follows its ports: the operator made it", async () => {
    await using lab = await Lab.start(older);
    await lab.ip(undefined, "link", "add", "disc0", "type", "bridge");
    await lab.ip(undefined, "address", "add", gateway, "dev", "disc0");
    await expectChecksOfFloating(lab, lab.runtime, list);
  });

  test("passes CHECK with every container, although its MAC follows its ports: its first ADD failed", async () => {
    await using lab = await Lab.start({ plugins: "1.9.1" });
    const broken = zone({ ...wrapped(bridge), ipam: { type: "nowhere" } });
    const first = await lab.addContainer("c0");
    expectFailure(await lab.runtime.add(broken, first), /failed to find plugin "nowhere"/);
    await lab.deleteNamespace(first);
    await expect.poll(() => lab.kernel.linkNames()).toEqual(["lo", "uplink1", "uplink0", "disc0"]);
    // A bridge without ports has no MAC. The next ADD gives it the gateway's address and then fails to set that MAC.
    const second = await lab.addContainer("c00");
    expectFailure(await lab.runtime.add(list, second), /could not set bridge's mac/);
    expectSuccess(await lab.runtime.del(list, second));
    await expectChecksOfFloating(lab, lab.runtime, list);
  });

  test("passes CHECK if a slow ADD has set its MAC again after another one: each bridge sets what it read at first", async ({
    lab,
  }) => {
    await lab.run("cp", ["/opt/cni/bin/host-local", "/opt/cni/bin/fast-local"]);
    const wait = '[ "$CNI_COMMAND $CNI_CONTAINERID" = "ADD slow" ] && while [ ! -e /run/lab/go ]; do sleep 0.1; done';
    await installPlugin(lab, "host-local", `${wait}; exec /opt/cni/bin/fast-local`);
    const slow = await lab.addContainer("slow");
    const adding = lab.runtime.add(list, slow);
    await expect.poll(() => lab.kernel.linkNames()).toContainEqual(expect.stringMatching(/^veth/));
    const first = await attached(lab, lab.runtime, list, "c1");
    const second = await attached(lab, lab.runtime, list, "c2");
    const before = (await lab.kernel.link(undefined, "disc0")).address;
    await lab.writeFile("/run/lab/go", "");
    expectSuccess(await adding);
    expect((await lab.kernel.link(undefined, "disc0")).address).not.toBe(before);
    for (const one of [slow, first, second]) expectSuccess(await lab.runtime.check(list, one));
    await lab.ip(undefined, "link", "set", "disc0", "address", "02:00:00:00:00:51");
    expectFailure(await lab.runtime.check(list, second), /^Bridge interface disc0 Mac doesn't match: \S+$/);
  });

  test("is not compared if /sys cannot be read", async () => {
    await using lab = await Lab.start(older);
    const container = await attached(lab, lab.runtime, list);
    await lab.run("mount", ["-t", "tmpfs", "lab", "/sys"]);
    expectSuccess(await lab.runtime.check(list, container));
    await lab.ip(undefined, "link", "set", "disc0", "address", "02:00:00:00:00:51");
    expectSuccess(await lab.runtime.check(list, container));
  });
});

/** Attaches three containers to a bridge. The bridge's MAC changes during that time and afterwards. */
async function expectChecksOfFloating(lab: Lab, runtime: Runtime, list: NetworkList): Promise<void> {
  expect(await macOrigin(lab, "disc0")).toBe("1");
  const containers: Container[] = [];
  for (const name of ["c1", "c2", "c3"]) containers.push(await attached(lab, runtime, list, name));
  await lowerMac(lab, "disc0");
  for (const container of containers) expectSuccess(await runtime.check(list, container));
  for (const container of containers) expectSuccess(await runtime.del(list, container));
}

/** The kernel's number for the origin of a device's MAC. */
async function macOrigin(lab: Lab, device: string): Promise<string> {
  return await lab.run("cat", [`/sys/class/net/${device}/addr_assign_type`]);
}

/** A bridge without a fixed MAC takes the lowest MAC of its ports. */
async function lowerMac(lab: Lab, device: string): Promise<void> {
  await lab.ip(undefined, "link", "add", "port0", "type", "veth", "peer", "name", "port1");
  await lab.ip(undefined, "link", "set", "port0", "address", "02:00:00:00:00:01", "master", device);
  expect((await lab.kernel.link(undefined, device)).address).toBe("02:00:00:00:00:01");
}
