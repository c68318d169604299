import { describe, expect, test, vi } from "vitest";
import { expectSuccess } from "../e2e/calls.ts";
import { hostLocal, wrapped, zone } from "../e2e/support.ts";
import { Lab, type Outcome } from "../support/lab.ts";
import { rulesOfContainers } from "../support/leftovers.ts";
import type { NetworkList } from "../support/runtime.ts";
import { Podman, podmanHasCni } from "./podman.ts";
import { bridge, expectNoTraceOfContainers, failureOf, hostLinks, macvlan, nameTaken, portmap } from "./support.ts";

const masquerading = { ...bridge, ipMasq: true };
// Not eth1, because podman gives that name to a container's second network.
const list = zone(wrapped(masquerading), wrapped(macvlan, "lan0"), portmap);
const plainList: NetworkList = { ...list, name: "plain", plugins: [masquerading, macvlan, portmap] };

const storage: NetworkList = {
  cniVersion: "1.0.0",
  name: "storage",
  plugins: [
    wrapped({ type: "bridge", bridge: "stor0", ipam: hostLocal("10.40.0.0/24") }),
    wrapped({ type: "bridge", bridge: "stor1", ipam: hostLocal("10.41.0.0/24") }, "backup"),
  ],
};

const published = ["--network", "zone", "--publish", "25649:8080"];

describe.skipIf(!podmanHasCni)("podman", () => {
  test("starts a container with both interfaces, and shows both", async () => {
    await using lab = await Lab.start({ forRuntimes: true });
    const podman = await Podman.prepare(lab, list);
    expectSuccess(await podman.start("c1", ...published));
    expect(await podman.addressesInside("c1")).toEqual({ eth0: ["172.26.64.2/20"], lan0: ["172.16.5.2/24"] });
    const container = await podman.container("c1");
    const { zone: shown } = await podman.inspect("c1");
    expect(shown).toMatchObject({
      IPAddress: "172.26.64.2",
      IPPrefixLen: 20,
      SecondaryIPAddresses: [{ Addr: "172.16.5.2", PrefixLength: 24 }],
    });
    // podman does not keep the order of the interfaces, so either MAC can come first.
    const macs = [shown?.MacAddress, ...(shown?.AdditionalMACAddresses ?? [])];
    const links = [await lab.kernel.link(container, "eth0"), await lab.kernel.link(container, "lan0")];
    expect(macs.sort()).toEqual(links.map(({ address }) => address).sort());
  });

  test("fails to start a container with the same two creators unwrapped", async () => {
    await using lab = await Lab.start({ forRuntimes: true });
    const podman = await Podman.prepare(lab, plainList);
    expect(failureOf(await podman.start("c1", "--network", "plain"))).toMatch(nameTaken);
  });

  test("publishes a port on eth0, until the container is stopped", async () => {
    await using lab = await Lab.start({ forRuntimes: true });
    const podman = await Podman.prepare(lab, list);
    await addOutside(lab);
    expect(failureOf(await fetchFromOutside(lab))).toContain("Connection refused");
    expectSuccess(await podman.start("c1", ...published));
    await vi.waitFor(async () => expect((await fetchFromOutside(lab)).stdout).toBe("from the container"), {
      timeout: 10_000,
    });
    expect((await rulesOfContainers(lab)).filter((rule) => rule.includes("-j DNAT"))).toEqual([
      expect.stringMatching(/^-A CNI-DN-\w+ -p tcp -m tcp --dport 25649 -j DNAT --to-destination 172\.26\.64\.2:8080$/),
    ]);
    await podman.run("stop", "--time", "0", "c1");
    expect(failureOf(await fetchFromOutside(lab))).toContain("Connection refused");
  });

  test("restarts a container with both interfaces, and leaves nothing of the first start, nor of the second when it is removed", async () => {
    await using lab = await Lab.start({ forRuntimes: true });
    const podman = await Podman.prepare(lab, list);
    expectSuccess(await podman.start("c1", ...published));
    expect(await lab.kernel.leases()).toEqual(["zone/172.26.64.2", "zone-lan0/172.16.5.2"]);
    await podman.run("restart", "--time", "0", "c1");
    // host-local continues after the last lease.
    expect(await podman.addressesInside("c1")).toEqual({ eth0: ["172.26.64.3/20"], lan0: ["172.16.5.3/24"] });
    expect(await lab.kernel.leases()).toEqual(["zone/172.26.64.3", "zone-lan0/172.16.5.3"]);
    expect(await lab.kernel.cachedResults()).toHaveLength(1);
    expect(await lab.kernel.journals()).toHaveLength(1);
    expect(await rulesOfContainers(lab)).not.toEqual([]);
    await podman.run("stop", "--time", "0", "c1");
    await podman.run("rm", "c1");
    await expectNoTraceOfContainers(lab, hostLinks);
    expect(await lab.readdir("/run/netns")).toEqual([]);
  });

  test("asks for an address and a MAC, and only eth0 gets them", async () => {
    await using lab = await Lab.start({ forRuntimes: true });
    const podman = await Podman.prepare(lab, list, keepingArgs());
    const asked = ["--ip", "172.26.64.77", "--mac-address", "02:00:00:00:00:77"];
    expectSuccess(await podman.start("c1", "--network", "zone", ...asked));
    expect(await podman.addressesInside("c1")).toEqual({ eth0: ["172.26.64.77/20"], lan0: ["172.16.5.2/24"] });
    const container = await podman.container("c1");
    expect((await lab.kernel.link(container, "eth0")).address).toBe("02:00:00:00:00:77");
    expect((await lab.kernel.link(container, "lan0")).address).not.toBe("02:00:00:00:00:77");
    await podman.run("rm", "--force", "--time", "0", "c1");

    const refused = await podman.start("c2", "--network", "keeping", ...asked);
    expect(failureOf(refused)).toContain("failed to allocate all requested IPs: 172.26.64.77");
  });

  test("attaches a container to two such networks, detaches it from one, and attaches it again", async () => {
    await using lab = await Lab.start({ forRuntimes: true });
    const podman = await Podman.prepare(lab, list, storage);
    expectSuccess(await podman.start("c1", "--network", "zone"));
    await podman.run("network", "connect", "storage", "c1");
    const first = { eth0: ["172.26.64.2/20"], lan0: ["172.16.5.2/24"] };
    expect(await podman.addressesInside("c1")).toEqual({ ...first, eth1: ["10.40.0.2/24"], backup: ["10.41.0.2/24"] });
    await podman.run("network", "disconnect", "storage", "c1");
    expect(await podman.addressesInside("c1")).toEqual(first);
    expect(await lab.kernel.leases()).toEqual(["zone/172.26.64.2", "zone-lan0/172.16.5.2"]);
    await podman.run("network", "connect", "storage", "c1");
    expect(await podman.addressesInside("c1")).toEqual({ ...first, eth1: ["10.40.0.3/24"], backup: ["10.41.0.3/24"] });
    await podman.run("rm", "--force", "--time", "0", "c1");
    await expectNoTraceOfContainers(lab, [...hostLinks, "stor0", "stor1"]);
  });

  test("refuses a second network if the first one took eth1, which stays: the reason for the name lan0", async () => {
    await using lab = await Lab.start({ forRuntimes: true });
    const podman = await Podman.prepare(lab, zone(wrapped(bridge), wrapped(macvlan, "eth1")), storage);
    expectSuccess(await podman.start("c1", "--network", "zone"));
    expect(await podman.addressesInside("c1")).toEqual({ eth0: ["172.26.64.2/20"], eth1: ["172.16.5.2/24"] });
    const refused = await podman.call("network", "connect", "storage", "c1");
    expect(failureOf(refused)).toMatch(/plugin type="bridge-wrapper" failed \(add\): .*eth1.* already exists/);
    // podman's DEL after the failure names the same interface. It belongs to the first network.
    expect(await podman.addressesInside("c1")).toEqual({ eth0: ["172.26.64.2/20"], eth1: ["172.16.5.2/24"] });
  });

  test("asks every plugin of a list for its versions, with a CNI_PATH without plugins, and lists the network", async () => {
    await using lab = await Lab.start({ recorded: true, forRuntimes: true });
    const podman = await Podman.prepare(lab, list);
    expect(await podman.networkNames()).toEqual(["podman", "zone"]);
    const calls = await lab.records();
    expect(calls.slice(0, 3).map(({ plugin }) => plugin)).toEqual(["bridge-wrapper", "macvlan-wrapper", "portmap"]);
    for (const { env, stdout, exitCode } of calls) {
      expect(env).toMatchObject({ CNI_COMMAND: "VERSION", CNI_PATH: "dummy", CNI_NETNS: "dummy" });
      expect(stdout).toEqual({
        cniVersion: "1.1.0",
        supportedVersions: ["0.1.0", "0.2.0", "0.3.0", "0.3.1", "0.4.0", "1.0.0", "1.1.0"],
      });
      expect(exitCode).toBe(0);
    }
    await lab.run("rm", ["/opt/cni/bin/macvlan-wrapper"]);
    expect(await podman.networkNames()).toEqual(["podman"]);
  });
});

/** The same list. Its second interface gets a request for the same address as the first. */
function keepingArgs(): NetworkList {
  const second = { ...wrapped(macvlan), wrapper: { ifName: "lan0", args: "keep" } };
  return { ...list, name: "keeping", plugins: [wrapped(masquerading), second, portmap] };
}

/** Adds another machine to the uplink's network, and gives the host an address there. */
async function addOutside(lab: Lab): Promise<void> {
  const outside = await lab.addContainer("outside");
  await lab.ip(undefined, "link", "set", "uplink1", "netns", outside.name);
  await lab.ip(outside, "link", "set", "uplink1", "up");
  await lab.ip(outside, "address", "add", "203.0.113.2/24", "dev", "uplink1");
  await lab.ip(undefined, "address", "add", "203.0.113.1/24", "dev", "uplink0");
}

function fetchFromOutside(lab: Lab): Promise<Outcome> {
  const fetch = ["timeout", "10", "busybox", "wget", "-O", "-", "http://203.0.113.1:25649/"];
  return lab.call("nsenter", ["--net=/run/netns/outside", ...fetch]);
}
