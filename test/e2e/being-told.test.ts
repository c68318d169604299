import { describe, expect, test } from "../support/lab-test.ts";
import { attached, expectFailure, expectSound, expectSuccess, expectUndone } from "./calls.ts";
import { bridge, hostLocal, macvlan, twoInterfaces, wrapped, zone } from "./support.ts";

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

test("the wrapper named as its own delegate: the error says what to write", async ({ lab }) => {
  const list = zone({ ...wrapped(macvlan), wrapper: { delegate: "macvlan-wrapper" } });
  expectFailure(
    await lab.goCni.add(list, await lab.addContainer("c1")),
    /delegate macvlan-wrapper is missing; macvlan-wrapper is the wrapper itself, not a plugin: write "macvlan" as "delegate"/,
  );
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

test("a failed CHECK is in the log at the lowest level, with the plugin's message", async ({ lab }) => {
  const log = { file: "/var/lib/cni/wrappers.log", level: "error" };
  const list = zone(wrapped(macvlan), { ...wrapped(bridge), wrapper: { ifName: "eth1", log } });
  const container = await attached(lab, lab.goCni, list);
  expectSuccess(await lab.goCni.check(list, container));
  expect(await lab.readdir("/var/lib/cni")).not.toContain("wrappers.log");
  await lab.ip(container, "address", "delete", "172.26.64.2/20", "dev", "eth1");
  expectFailure(await lab.goCni.check(list, container), "Failed to match addr 172.26.64.2/20 on interface eth1");
  const lines = (await lab.readFile(log.file)).trim().split("\n");
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    {
      level: "error",
      command: "CHECK",
      message: "delegate failed CHECK: Failed to match addr 172.26.64.2/20 on interface eth1",
      code: 999,
      exitCode: 1,
    },
  ]);
});
