import { describe, expect, test } from "vitest";
import { wrapped } from "../e2e/support.ts";
import type { Lab, Outcome } from "../support/lab.ts";
import { rulesOfContainers } from "../support/leftovers.ts";
import { must } from "../support/must.ts";
import type { NetworkList } from "../support/runtime.ts";
import { Cri, startLab } from "./cri.ts";
import { addressesIn, bridge, expectNoTraceOfContainers, failureOf, hostLinks, macvlan, portmap } from "./support.ts";

// Go cannot verify nerdctl as a module, so NERDCTL_BIN must name an executable.

const nerdctl = process.env.NERDCTL_BIN ?? "";
const containerd = "containerd 2.2.9";
const list: NetworkList = {
  cniVersion: "1.0.0",
  name: "zone",
  plugins: [wrapped(bridge), wrapped(macvlan, "lan0"), portmap],
};

describe.skipIf(nerdctl === "")("nerdctl", () => {
  test("starts containers with both interfaces and a published port, and leaves nothing when they are removed", async () => {
    await using lab = await startLab(containerd, { programs: { nerdctl } });
    await using _ = await Cri.start(lab, containerd, list);
    must(await run(lab, "c1", "--publish", "25649:8080"));
    must(await run(lab, "c2"));
    expect(await addressesInside(lab, "c1")).toEqual({ eth0: ["172.26.64.2/20"], lan0: ["172.16.5.2/24"] });
    expect(await addressesInside(lab, "c2")).toEqual({ eth0: ["172.26.64.3/20"], lan0: ["172.16.5.3/24"] });
    expect((await rulesOfContainers(lab)).filter((rule) => rule.includes("-j DNAT"))).toEqual([
      expect.stringMatching(/--dport 25649 -j DNAT --to-destination 172\.26\.64\.2:8080$/),
    ]);
    must(await call(lab, "rm", "--force", "c1"));
    expect(await lab.kernel.leases()).toEqual(["zone/172.26.64.3", "zone-lan0/172.16.5.3"]);
    must(await call(lab, "rm", "--force", "c2"));
    await expectNoTraceOfContainers(lab, hostLinks);
  });

  test("restarts a container with both interfaces, and leaves nothing of the first start", async () => {
    await using lab = await startLab(containerd, { programs: { nerdctl } });
    await using _ = await Cri.start(lab, containerd, list);
    must(await run(lab, "c1"));
    must(await call(lab, "stop", "--time", "0", "c1"));
    await expectNoTraceOfContainers(lab, hostLinks);
    must(await call(lab, "start", "c1"));
    expect(Object.keys(await addressesInside(lab, "c1"))).toEqual(["eth0", "lan0"]);
    expect(await lab.kernel.leases()).toHaveLength(2);
    must(await call(lab, "rm", "--force", "c1"));
    await expectNoTraceOfContainers(lab, hostLinks);
  });

  test("asks for an address, and only eth0 gets it", async () => {
    await using lab = await startLab(containerd, { programs: { nerdctl } });
    await using _ = await Cri.start(lab, containerd, list);
    must(await run(lab, "c1", "--ip", "172.26.64.77"));
    expect(await addressesInside(lab, "c1")).toEqual({ eth0: ["172.26.64.77/20"], lan0: ["172.16.5.2/24"] });
    must(await call(lab, "rm", "--force", "c1"));
  });

  test("starts no container with the same two creators unwrapped", async () => {
    await using lab = await startLab(containerd, { programs: { nerdctl } });
    await using _ = await Cri.start(lab, containerd, { ...list, plugins: [bridge, macvlan, portmap] });
    expect(failureOf(await run(lab, "c1"))).toMatch(/failed to rename macvlan to \S*eth0\S*: file exists/);
    must(await call(lab, "rm", "--force", "c1"));
  });
});

function run(lab: Lab, name: string, ...options: string[]): Promise<Outcome> {
  const network = ["--net", "zone", "--pull", "never", "--runtime", "/run/lab/runc"];
  return call(lab, "run", "--detach", "--name", name, ...network, ...options, "localhost/pause:1");
}

async function addressesInside(lab: Lab, name: string): Promise<Record<string, string[]>> {
  return addressesIn(must(await call(lab, "exec", name, "/bin/ip", "-4", "-o", "address")));
}

function call(lab: Lab, ...args: string[]): Promise<Outcome> {
  const places = ["--cni-path", "/opt/cni/bin", "--cni-netconfpath", "/etc/cni/net.d"];
  const options = ["--namespace", "k8s.io", "--cgroup-manager", "cgroupfs", ...places];
  const env = { HOME: "/root", PATH: "/run/lab/programs:/usr/sbin:/usr/bin:/sbin:/bin" };
  return lab.call("/run/lab/programs/nerdctl", [...options, ...args], { env });
}
