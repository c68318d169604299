import { describe, expect, test } from "vitest";
import { wrapped } from "../e2e/support.ts";
import type { Lab } from "../support/lab.ts";
import { rulesOfContainers } from "../support/leftovers.ts";
import type { NetworkList } from "../support/runtime.ts";
import { Cri, containerds, startLab } from "./cri.ts";
import { bridge, expectNoTraceOfContainers, failureOf, hostLinks, macvlan, nameTaken, portmap } from "./support.ts";

const creators = [wrapped(bridge), wrapped(macvlan, "lan0")];
const first = { eth0: ["172.26.64.2"], lan0: ["172.16.5.2"] };

// The one network that a kubelet's pods get.
function pods(cniVersion: string, ...plugins: NetworkList["plugins"]): NetworkList {
  return { cniVersion, name: "pods", plugins };
}

describe.each(containerds)("the CRI of %s", (version) => {
  const list = pods("1.0.0", ...creators, portmap);

  test("runs pod sandboxes with both interfaces, and leaves nothing when they are removed", async () => {
    await using lab = await startLab(version);
    await using cri = await Cri.start(lab, version, list);
    expect(await cri.daemon()).toContain(version);
    expect(await cri.conditions()).toContainEqual({ type: "NetworkReady", status: true });
    const id = await cri.run("p1");
    const other = await cri.run("p2");
    const { container, ip, result } = await cri.inspect(id);
    expect({ ip, result }).toEqual({ ip: "172.26.64.2", result: first });
    expect(await lab.kernel.addresses(container, "eth0")).toEqual(["172.26.64.2/20"]);
    expect(await lab.kernel.addresses(container, "lan0")).toEqual(["172.16.5.2/24"]);

    await cri.stopAndRemove(id);
    expect(await lab.kernel.leases()).toEqual(["pods/172.26.64.3", "pods-lan0/172.16.5.3"]);
    expect((await cri.inspect(other)).result).toEqual({ eth0: ["172.26.64.3"], lan0: ["172.16.5.3"] });
    await cri.stopAndRemove(other);
    expect(await cri.pods()).toEqual([]);
    await expectNoTraceOfContainers(lab, hostLinks);
  });

  test("publishes a pod's port on eth0, until the sandbox is stopped", async () => {
    await using lab = await startLab(version);
    await using cri = await Cri.start(lab, version, list);
    const id = await cri.run("p1", 25649);
    expect((await rulesOfContainers(lab)).filter((rule) => rule.includes("-j DNAT"))).toEqual([
      expect.stringMatching(/^-A CNI-DN-\w+ -p tcp -m tcp --dport 25649 -j DNAT --to-destination 172\.26\.64\.2:8080$/),
    ]);
    await cri.stopAndRemove(id);
    await expectNoTraceOfContainers(lab, hostLinks);
  });

  test("keeps a sandbox while containerd restarts, and leaves nothing when it is removed then", async () => {
    await using lab = await startLab(version);
    await using cri = await Cri.start(lab, version, list);
    const id = await cri.run("p1");
    const before = await cri.inspect(id);
    await cri.restart();
    expect(await cri.inspect(id)).toEqual(before);
    expect(await lab.kernel.addresses(before.container, "lan0")).toEqual(["172.16.5.2/24"]);
    await cri.stopAndRemove(id);
    await expectNoTraceOfContainers(lab, hostLinks);
  });

  test("calls only ADD and DEL with a list of 1.0.0", async () => {
    await using lab = await startLab(version, { recorded: true });
    await using cri = await Cri.start(lab, version, list);
    const id = await cri.run("p1");
    await cri.restart();
    await cri.stopAndRemove(id);
    expect(new Set(await verbs(lab))).toEqual(new Set(["ADD", "DEL"]));
  });

  test("runs no sandbox with the same two creators unwrapped", async () => {
    await using lab = await startLab(version);
    await using cri = await Cri.start(lab, version, pods("1.0.0", bridge, macvlan, portmap));
    expect(failureOf(await cri.call("run", "", Cri.pod("p1")))).toMatch(nameTaken);
  });
});

describe("the CRI of containerd 2.2.9 with a list of 1.1.0", () => {
  const list = pods("1.1.0", ...creators, portmap);

  test("asks every plugin for its STATUS, and calls neither CHECK nor GC", async () => {
    await using lab = await startLab("containerd 2.2.9", { recorded: true });
    await using cri = await Cri.start(lab, "containerd 2.2.9", list);
    await lab.run("sh", ["-c", "rm /run/lab/records/*"]);
    await cri.conditions();
    const wrappedPlugins = ["bridge-wrapper", "bridge", "host-local", "macvlan-wrapper", "macvlan", "host-local"];
    expect(await calls(lab)).toEqual([...wrappedPlugins, "portmap"].map((plugin) => `${plugin} STATUS`));
    const id = await cri.run("p1");
    await cri.restart();
    await cri.stopAndRemove(id);
    await cri.restart();
    expect(new Set(await verbs(lab))).toEqual(new Set(["STATUS", "ADD", "DEL"]));
    await expectNoTraceOfContainers(lab, hostLinks);
  });

  test("is not ready while the real plugin of a wrapper is missing, and ready again after it is installed", async () => {
    await using lab = await startLab("containerd 2.2.9");
    await using cri = await Cri.start(lab, "containerd 2.2.9", list);
    const plugin = "/opt/cni/bin/macvlan";
    await lab.run("umount", [plugin]);
    await lab.run("rm", [plugin]);
    const conditions = await cri.conditions();
    const message = expect.stringMatching(/plugin not available: delegate macvlan is missing/);
    expect(conditions).toContainEqual({ type: "NetworkReady", reason: "NetworkPluginNotReady", message });
    await lab.run("cp", ["/run/lab/plugins/macvlan", plugin]);
    expect(await cri.conditions()).toContainEqual({ type: "NetworkReady", status: true });
  });
});

async function verbs(lab: Lab): Promise<(string | undefined)[]> {
  return (await lab.records()).map(({ env }) => env.CNI_COMMAND);
}

async function calls(lab: Lab): Promise<string[]> {
  return (await lab.records()).map(({ plugin, env }) => `${plugin} ${env.CNI_COMMAND}`);
}

describe("the CRI of containerd 1 with a list of 1.1.0", () => {
  test("does not understand the result, and leaves nothing", async () => {
    await using lab = await startLab("containerd 1");
    await using cri = await Cri.start(lab, "containerd 1", pods("1.1.0", ...creators));
    expect(failureOf(await cri.call("run", "", Cri.pod("p1")))).toContain('unsupported CNI result version "1.1.0"');
    await expectNoTraceOfContainers(lab, hostLinks);
  });
});
