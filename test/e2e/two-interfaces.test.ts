import type { Result } from "../support/kernel.ts";
import { type Container, Lab } from "../support/lab.ts";
import { describe, expect, test } from "../support/lab-test.ts";
import { attached, expectFailure, expectSuccess, expectUndone } from "./calls.ts";
import { bridge, chainVersions, inTurn, macvlan, older, twoInterfaces, wrapped, zone } from "./support.ts";

describe("the plain chain of two interface plugins", () => {
  test("fails on ADD: both make the runtime's interface", async ({ lab }) => {
    expectFailure(
      await lab.runtime.add(zone(macvlan, bridge), await lab.addContainer("c1")),
      /^plugin type="bridge" failed \(add\): container veth name \("eth0"\) peer provided \("veth[0-9a-f]{8}"\) already exists$/,
    );
  });

  test("fails on CHECK even if ADD passed: each compares the other's address with its own interface", async () => {
    await using lab = await Lab.start(older);
    const container = await lab.addContainer("c1");
    const alone = JSON.parse(expectSuccess(await lab.cnitool.add(zone(macvlan), container)));
    const other = JSON.parse(expectSuccess(await lab.cnitool.addAs("eth1", zone(bridge), container)));
    expectSuccess(await lab.cnitool.check(zone(macvlan), container));
    await cacheResult(lab, container, {
      ...alone,
      interfaces: [...alone.interfaces, ...other.interfaces],
      ips: [...alone.ips, { ...other.ips[0], interface: 3 }],
    });
    expectFailure(
      await lab.cnitool.check(zone(macvlan, bridge), container),
      "Failed to match addr 172.26.64.2/20 on interface eth0",
    );
  });

  test("fails on CHECK if only the second is wrapped", async ({ lab, container }) => {
    const list = zone(macvlan, wrapped(bridge, "eth1"));
    const stderr = expect.stringMatching(/^cni-wrappers: warning: interface eth0 was made by an unwrapped plugin: /);
    expect(await lab.goCni.add(list, container)).toMatchObject({ exitCode: 0, stderr });
    expectFailure(await lab.goCni.check(list, container), "Failed to match addr 172.26.64.2/20 on interface eth0");
  });
});

const versions = chainVersions.map((cniVersion) => ({ cniVersion }));

test.each(inTurn(versions))(
  "the wrapped chain gives eth0 and eth1, passes CHECK and leaves nothing ($cniVersion, $plugins, $runtime)",
  async ({ cniVersion, ...pair }) => {
    await using lab = await Lab.start(pair);
    const list = twoInterfaces(cniVersion);
    const container = await attached(lab, lab.runtime, list);
    expect(await lab.kernel.linkNames(container)).toEqual(["lo", "eth0", "eth1"]);
    expect(await lab.kernel.addresses(container, "eth0")).toEqual(["172.16.5.2/24"]);
    expect(await lab.kernel.addresses(container, "eth1")).toEqual(["172.26.64.2/20"]);
    expect(await lab.kernel.routes(container)).toEqual([
      "default via 172.16.5.1 dev eth0",
      "10.99.0.0/16 via 172.26.64.1 dev eth1",
    ]);
    expect(await lab.kernel.leases()).toEqual(["zone/172.16.5.2", "zone-eth1/172.26.64.2"]);
    const hostVeth = await lab.kernel.hostVeth(container, "eth1");
    const macOf = async (where: Container | undefined, name: string) => (await lab.kernel.link(where, name)).address;
    const version = cniVersion.startsWith("0.") ? { version: "4" } : {};
    expect(await lab.kernel.cachedResult("zone", lab.runtime.id(container))).toEqual({
      cniVersion,
      interfaces: [
        { name: "eth0", mac: await macOf(container, "eth0"), sandbox: "/run/netns/c1" },
        { name: "disc0", mac: await macOf(undefined, "disc0") },
        { name: hostVeth, mac: await macOf(undefined, hostVeth) },
        { name: "eth1", mac: await macOf(container, "eth1"), sandbox: "/run/netns/c1" },
      ],
      ips: [
        { ...version, address: "172.16.5.2/24", gateway: "172.16.5.1", interface: 0 },
        { ...version, address: "172.26.64.2/20", gateway: "172.26.64.1", interface: 3 },
      ],
      routes: [{ dst: "0.0.0.0/0" }, { dst: "10.99.0.0/16", gw: "172.26.64.1" }],
      ...(cniVersion.startsWith("0.") && { dns: {} }),
    });
    if (cniVersion >= "0.4.0") expectSuccess(await lab.runtime.check(list, container));
    await expectUndone(lab, list, container, ["disc0"], lab.runtime);
  },
);

async function cacheResult(lab: Lab, container: Container, result: Result): Promise<void> {
  const file = `/var/lib/cni/results/zone-${lab.cnitool.id(container)}-eth0`;
  const cached = JSON.parse(await lab.readFile(file));
  await lab.writeFile(file, JSON.stringify({ ...cached, result }));
}
